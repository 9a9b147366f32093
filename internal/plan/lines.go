package plan

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// matcher is one expected line with its variables in place.
type matcher struct {
	words   string
	matches func(line string) bool
	// min and max are how often it may come; max -1 is any number.
	min, max int
}

func literalMatcher(line string) matcher {
	return matcher{words: visible(line), matches: func(got string) bool { return got == line }, min: 1, max: 1}
}

func (l Line) matcher(v *values) matcher {
	var m matcher
	switch {
	case l.Literal != nil:
		m = literalMatcher(Normalise(v.text(l.Literal)))
	case l.Glob != nil:
		glob := v.glob(l.Glob)
		m = matcher{words: glob + "  (glob)", matches: func(line string) bool { return matchGlob(glob, line) }}
	default:
		p := v.pattern(l.Regex)
		whole, err := regexp.Compile(`(?m)\A(?:` + p.Expression() + `)\z`)
		if err != nil {
			// It compiled without its anchors, so what is left is its size.
			v.keep(err)
			whole = p.Regexp
		}
		m = matcher{words: "/" + p.Expression() + "/", matches: whole.MatchString}
	}
	m.min, m.max = l.Min, l.Max
	if times := (times{l.Min, l.Max}).String(); times != "" {
		m.words += "  (" + times + ")"
	}
	return m
}

// Fits tells whether a line of normalised text is this line, however often that may
// come. The error is an *UnknownVariableError, or says why a pattern does not
// compile.
func (l Line) Fits(line string, vars map[string]string) (bool, error) {
	v := &values{vars: vars}
	m := l.matcher(v)
	return v.err == nil && m.matches(line), v.err
}

func matchers(items []Line, v *values) []matcher {
	all := make([]matcher, len(items))
	for i, item := range items {
		all[i] = item.matcher(v)
	}
	return all
}

// glob is text for a glob: what stands for a variable is literal.
func (v *values) glob(t *Template) string {
	if v.written {
		return t.Text
	}
	glob, err := expand(t.Text, v.vars, globQuoter.Replace)
	v.keep(err)
	return glob
}

var globQuoter = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// matchGlob is path.Match, but for slashes, which are nothing special here.
func matchGlob(glob, line string) bool {
	slash := strings.NewReplacer("/", "\x00")
	ok, err := path.Match(slash.Replace(glob), slash.Replace(line))
	return ok && err == nil
}

// splitLines returns the lines of normalised text; empty text has none.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// unit is one place for a line: an expected line that comes several times has
// several.
type unit struct {
	*matcher
	// optional units may stay empty, loops may take any number of lines.
	optional, loop bool
}

func unfold(all []matcher) []unit {
	var units []unit
	for i := range all {
		m := &all[i]
		for range m.min {
			units = append(units, unit{matcher: m})
		}
		if m.max < 0 {
			units = append(units, unit{matcher: m, optional: true, loop: true})
		}
		for n := m.min; n < m.max; n++ {
			units = append(units, unit{matcher: m, optional: true})
		}
	}
	return units
}

// inOrder says that the lines are the units; else which line, from 0, is the
// first that nothing fits, or how many there are if more must come, and the units
// that might have come there.
func inOrder(units []unit, lines []string) (ok bool, at int, instead []unit) {
	here := make([]bool, len(units)+1)
	next := make([]bool, len(units)+1)
	here[0] = true
	skip := func(set []bool) {
		for i, u := range units {
			set[i+1] = set[i+1] || set[i] && u.optional
		}
	}
	possible := func() (list []unit) {
		for i, u := range units {
			if here[i] {
				list = append(list, u)
			}
		}
		return list
	}
	skip(here)
	for n, line := range lines {
		clear(next)
		fits := false
		for i, u := range units {
			if here[i] && u.matches(line) {
				fits = true
				next[u.next(i)] = true
			}
		}
		if !fits {
			return false, n, possible()
		}
		skip(next)
		here, next = next, here
	}
	return here[len(units)], len(lines), possible()
}

func findLines(text string, items []Line, v *values) finding {
	all := matchers(items, v)
	f := finding{want: "is these lines: " + listed(all)}
	lines := splitLines(text)
	holds, at, instead := inOrder(unfold(all), lines)
	if f.holds = holds; holds {
		return f
	}
	f.got = differs(at, len(lines), instead) + "\n" + diffLines(all, lines)
	return f
}

// differs says where lines part from the expected ones.
func differs(at, lines int, instead []unit) string {
	var words []string
	for _, u := range instead {
		if !slices.Contains(words, u.words) {
			words = append(words, u.words)
		}
	}
	wanted := shorten(strings.Join(words, " or "))
	switch {
	case at == lines:
		return fmt.Sprintf("after line %d should come %s", lines, wanted)
	case len(words) == 0:
		return fmt.Sprintf("line %d is one too many", at+1)
	}
	return fmt.Sprintf("line %d should be %s", at+1, wanted)
}

// listed says expected lines in one line.
func listed(all []matcher) string {
	words := make([]string, 0, len(all))
	for _, m := range all {
		words = append(words, m.words)
	}
	return strings.Join(words, " | ")
}
