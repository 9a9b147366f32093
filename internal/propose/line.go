package propose

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"labctl/internal/strictyaml"
)

// part is a piece of an expected line.
type part struct {
	// text is as it came. It stands for itself if there is neither name nor pattern.
	text string
	// name is the variable that has this value.
	name string
	// pattern is what is expected in its place.
	pattern string
	// wide says that the next one may be of another length.
	wide bool
	// either says that the pattern is a choice of words.
	either bool
}

func (p part) literal() bool { return p.name == "" && p.pattern == "" }

// same says that two parts expect the same.
func (p part) same(q part) bool {
	if p.literal() {
		return q.literal() && p.text == q.text
	}
	return p.name == q.name && p.pattern == q.pattern
}

// line is an expected line.
type line []part

// mark finds in a line what is another the next time, the variables first.
func mark(text string, vars map[string]string, all []kind) line {
	type span struct {
		from, to int
		part
	}
	var spans []span
	add := func(from, to int, p part) {
		for _, s := range spans {
			if from < s.to && s.from < to {
				return
			}
		}
		p.text = text[from:to]
		spans = append(spans, span{from, to, p})
	}
	names := slices.SortedFunc(maps.Keys(vars), func(a, b string) int {
		return cmp.Or(len(vars[b])-len(vars[a]), strings.Compare(a, b))
	})
	for _, name := range names {
		for _, from := range whole(text, vars[name]) {
			add(from, from+len(vars[name]), part{name: name, wide: true})
		}
	}
	for _, k := range all {
		for at := 0; at <= len(text); {
			m := k.find.FindStringSubmatchIndex(text[at:])
			if m == nil {
				break
			}
			from, to := at+m[2], at+m[3]
			if found := text[from:to]; k.is == nil || k.is(found, text[:from], text[to:]) {
				add(from, to, part{pattern: k.pattern(found), wide: k.wide})
			}
			at = to
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var l line
	at := 0
	for _, s := range spans {
		if s.from > at {
			l = append(l, part{text: text[at:s.from]})
		}
		l = append(l, s.part)
		at = s.to
	}
	if at < len(text) {
		l = append(l, part{text: text[at:]})
	}
	return l
}

// whole finds where a value stands in a text as a word of its own.
func whole(text, value string) []int {
	var places []int
	if value == "" {
		return nil
	}
	for at := 0; ; {
		i := strings.Index(text[at:], value)
		if i < 0 {
			return places
		}
		from := at + i
		to := from + len(value)
		if !wentBefore.MatchString(text[:from]) && !goesOn.MatchString(text[to:]) {
			places = append(places, from)
		}
		at = to
	}
}

// goesOn and wentBefore say that a word has not ended or begun there.
var (
	goesOn     = regexp.MustCompile(`^[A-Za-z0-9_-]|^\.[0-9]`)
	wentBefore = regexp.MustCompile(`[A-Za-z0-9_-]$|[0-9]\.$`)
)

// distinctive are the variables whose values are no mere coincidence where they
// occur: addresses, and longer names with a number in them.
func distinctive(vars map[string]string) map[string]string {
	all := map[string]string{}
	for name, value := range vars {
		if len(value) >= 6 && strings.ContainsAny(value, "0123456789") && strings.ContainsAny(value, ".:-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") && !strings.ContainsAny(value, "\n") {
			all[name] = value
		}
	}
	return all
}

// plain says that the line is text, with or without variables.
func (l line) plain() bool {
	for i, p := range l {
		// $ before ${NAME} would make text of it.
		if p.pattern != "" || p.name != "" && i > 0 && strings.HasSuffix(l[i-1].text, "$") {
			return false
		}
	}
	return true
}

var reference = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// template is a plain line as a lab's file has it.
func (l line) template() string {
	var b strings.Builder
	for _, p := range l {
		if p.name != "" {
			b.WriteString("${" + p.name + "}")
		} else {
			b.WriteString(reference.ReplaceAllStringFunc(p.text, func(m string) string { return "$" + m }))
		}
	}
	return b.String()
}

// expression is any line as a pattern.
func (l line) expression() string {
	var b strings.Builder
	for _, p := range l {
		switch {
		case p.name != "":
			written, dollar := strings.CutSuffix(b.String(), `\$`)
			if dollar {
				b.Reset()
				b.WriteString(written + "[$]")
			}
			b.WriteString("${" + p.name + "}")
		case p.pattern != "":
			b.WriteString(p.pattern)
		default:
			b.WriteString(regexp.QuoteMeta(p.text))
		}
	}
	return b.String()
}

// waiting is what kubectl says while a rollout goes on: as often as it happens to.
var waiting = regexp.MustCompile(`^Waiting for (?:.* rollout to finish: |deployment spec update to be observed)`)

// progress says that the line may come any number of times, or not at all.
func (l line) progress() bool { return waiting.MatchString(l.text()) }

// value is the line as an item of a list.
func (l line) value() strictyaml.Value {
	if l.progress() {
		return strictyaml.Inline{{Key: "glob", Value: strictyaml.Text("Waiting for *")}, {Key: "times", Value: strictyaml.Text("*")}}
	}
	if l.plain() {
		return strictyaml.Text(l.template())
	}
	return strictyaml.Inline{{Key: "regex", Value: strictyaml.Text(l.expression())}}
}
