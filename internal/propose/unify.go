package propose

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// maxAlternatives is how many different words may stand in one place.
const maxAlternatives = 4

// text is one output, line by line, and the variables that its checks see.
type text struct {
	lines []string
	vars  map[string]string
}

// unify makes lines of which each fits all the texts; false if there are none
// such that would say anything. Without variables if it must do without.
func unify(texts []text, variables bool) ([]line, bool) {
	all := kinds()
	var lines []line
	for j := range texts[0].lines {
		var l line
		ok := true
		for k, t := range texts {
			if len(t.lines) != len(texts[0].lines) {
				return nil, false
			}
			vars := distinctive(t.vars)
			if !variables {
				vars = nil
			}
			m := mark(t.lines[j], vars, all)
			if k == 0 {
				l = m
			}
			ok = ok && slices.EqualFunc(l, m, part.same)
		}
		if !ok && !slices.ContainsFunc(texts, func(t text) bool { return !waiting.MatchString(t.lines[j]) }) {
			ok = true // whatever it says, it is one item
		}
		if !ok {
			if l, ok = differing(texts, j, variables, all); !ok {
				return nil, false
			}
		}
		lines = append(lines, l)
	}
	return loosen(lines), true
}

// differing makes one line of the texts' different ones: by all variables that
// differ as the lines do, else word by word.
func differing(texts []text, j int, variables bool, all []kind) (line, bool) {
	marked := make([]line, len(texts))
	same := true
	for k, t := range texts {
		vars := distinctive(t.vars)
		for name, value := range t.vars {
			if slices.ContainsFunc(texts, func(other text) bool { return other.vars[name] != value }) {
				vars[name] = value
			}
		}
		if !variables {
			vars = nil
		}
		marked[k] = mark(t.lines[j], vars, all)
		same = same && slices.EqualFunc(marked[0], marked[k], part.same)
	}
	if same {
		return marked[0], true
	}
	words := make([][]line, len(texts))
	for k := range marked {
		words[k] = wordsOf(marked[k])
		if len(words[k]) != len(words[0]) {
			return nil, false
		}
	}
	var l line
	for w := range words[0] {
		column := make([]line, len(texts))
		for k := range words {
			column[k] = words[k][w]
		}
		p, ok := oneWord(column)
		if !ok {
			return nil, false
		}
		l = append(l, p...)
	}
	return l, true
}

// wordsOf cuts a line where blanks begin and end.
func wordsOf(l line) []line {
	var words []line
	blank := false
	for _, p := range l {
		if !p.literal() {
			if len(words) == 0 || blank {
				words = append(words, nil)
			}
			words[len(words)-1] = append(words[len(words)-1], p)
			blank = false
			continue
		}
		for _, piece := range runs.FindAllString(p.text, -1) {
			isBlank := strings.TrimLeft(piece, " \t") == ""
			if len(words) == 0 || isBlank != blank {
				words = append(words, nil)
			}
			last := &words[len(words)-1]
			*last = append(*last, part{text: piece})
			blank = isBlank
		}
	}
	return words
}

var runs = regexp.MustCompile(`[ \t]+|[^ \t]+`)

// oneWord makes one word of different ones.
func oneWord(words []line) (line, bool) {
	first := words[0]
	same, blank, skeleton := true, true, true
	var texts []string
	for _, w := range words {
		same = same && slices.EqualFunc(first, w, part.same)
		t := w.text()
		blank = blank && strings.TrimLeft(t, " \t") == ""
		skeleton = skeleton && digits(t) == digits(first.text())
		if !slices.Contains(texts, t) {
			texts = append(texts, t)
		}
	}
	switch {
	case same:
		return first, true
	case blank:
		return line{{text: texts[0], pattern: ` +`, wide: true}}, true
	case skeleton:
		return line{{text: texts[0], pattern: digits(texts[0]), wide: true}}, true
	case len(texts) > maxAlternatives:
		return nil, false
	}
	slices.Sort(texts)
	for i := range texts {
		texts[i] = regexp.QuoteMeta(texts[i])
	}
	return line{{text: first.text(), pattern: "(?:" + strings.Join(texts, "|") + ")", wide: true, either: true}}, true
}

// text is what came.
func (l line) text() string {
	var b strings.Builder
	for _, p := range l {
		b.WriteString(p.text)
	}
	return b.String()
}

// loosen lets blanks be of any number in all lines of a table some of whose words
// may be longer the next time.
func loosen(lines []line) []line {
	table := slices.ContainsFunc(lines, func(l line) bool {
		wide := false
		for _, p := range l {
			if wide && strings.Contains(p.text, "  ") {
				return true
			}
			wide = wide || p.wide
		}
		return false
	})
	if !table {
		return lines
	}
	loose := make([]line, len(lines))
	for i, l := range lines {
		for _, p := range l {
			if !p.literal() {
				loose[i] = append(loose[i], p)
				continue
			}
			at := 0
			for _, m := range inner.FindAllStringIndex(p.text, -1) {
				if m[0] == 0 && len(loose[i]) == 0 {
					continue // its indentation
				}
				if m[0] > at {
					loose[i] = append(loose[i], part{text: p.text[at:m[0]]})
				}
				loose[i] = append(loose[i], part{text: p.text[m[0]:m[1]], pattern: ` +`})
				at = m[1]
			}
			if at < len(p.text) {
				loose[i] = append(loose[i], part{text: p.text[at:]})
			}
		}
	}
	return loose
}

var inner = regexp.MustCompile(`  +`)

// varies says that an earlier output is the last one but for numbers of three
// digits or more: those vary, and all else may be what the retry waited for.
func varies(last, earlier text) bool {
	if len(last.lines) != len(earlier.lines) {
		return false
	}
	for j, l := range last.lines {
		if long.ReplaceAllString(l, "0") != long.ReplaceAllString(earlier.lines[j], "0") && !sameMarks(l, earlier.lines[j]) {
			return false
		}
	}
	return true
}

func sameMarks(a, b string) bool {
	all := kinds()
	return slices.EqualFunc(mark(a, nil, all), mark(b, nil, all), part.same)
}

var long = regexp.MustCompile(`\d{3,}`)

// chooses says that some line is a choice of words.
func chooses(lines []line) bool {
	return slices.ContainsFunc(lines, func(l line) bool {
		return slices.ContainsFunc(l, func(p part) bool { return p.either })
	})
}

// squeezed are the texts with one line for all that a rollout said while it went on.
func squeezed(texts []text) []text {
	all := make([]text, len(texts))
	for i, t := range texts {
		all[i].vars = t.vars
		for j, l := range t.lines {
			if j == 0 || !waiting.MatchString(l) || !waiting.MatchString(t.lines[j-1]) {
				all[i].lines = append(all[i].lines, l)
			}
		}
	}
	return all
}

// sorted are the texts with their lines in an order that is the same for those that
// expect the same.
func sorted(texts []text) []text {
	all := make([]text, len(texts))
	for i, t := range texts {
		key := map[string]string{}
		for _, l := range t.lines {
			key[l] = mark(l, distinctive(t.vars), kinds()).expression()
		}
		lines := slices.Clone(t.lines)
		slices.SortFunc(lines, func(a, b string) int { return cmp.Or(strings.Compare(key[a], key[b]), strings.Compare(a, b)) })
		all[i] = text{lines, t.vars}
	}
	return all
}
