package plan

import (
	"path"
	"strings"
)

// maxUnits is how many lines an assertion may ask for in all, those that need
// not come included.
const maxUnits = 10_000

func (b *Builder) lines(key string, f *at[[]at[lineForm]]) []Line {
	if f == nil {
		return nil
	}
	if len(f.Value) == 0 {
		b.Slips.Addf(f.Pos, `%q is empty: write "empty: true"`, key)
	}
	lines := make([]Line, 0, len(f.Value))
	total, sound := 0, len(f.Value) > 0
	for _, item := range f.Value {
		before := b.Slips.Len()
		lines = append(lines, b.line(item))
		sound = sound && b.Slips.Len() == before
		total += max(1, lines[len(lines)-1].Max)
	}
	switch {
	case total > maxUnits:
		b.Slips.Addf(f.Pos, "%q asks for %d lines: at most %d", key, total, maxUnits)
	case sound && anyLines(key, lines):
		b.Slips.Addf(f.Pos, `%q: together its items match any lines: %s beyond "empty: false"`, key, assertsNothing)
	}
	return lines
}

func (b *Builder) line(f at[lineForm]) Line {
	l := Line{Min: 1, Max: 1}
	if t := f.Value.Line; t != nil {
		b.uses(t.Value.Text, t.Pos)
		l.Literal = &t.Value
		if strings.Contains(strings.TrimRight(t.Value.Text, "\n"), "\n") {
			b.Slips.Addf(t.Pos, "%q is several lines: write an item for each", "line")
		}
	}
	if t := f.Value.Glob; t != nil {
		b.uses(t.Value.Text, t.Pos)
		l.Glob = &t.Value
		if _, err := path.Match(t.Value.Text, ""); err != nil {
			b.Slips.Addf(t.Pos, `"glob" %q does not compile: a [ without its ], or a \ at the end`, t.Value.Text)
		}
	}
	if p := f.Value.Regex; p != nil {
		b.uses(p.Value.written, p.Pos)
		l.Regex = &p.Value
	}
	if t := f.Value.Times; t != nil && t.Value.max != 0 {
		l.Min, l.Max = t.Value.min, t.Value.max
	}
	return l
}

// anyLines says that an assertion holds for texts that have nothing in common.
func anyLines(key string, lines []Line) bool {
	find := findLines
	if key == "anyOrder" {
		find = findAnyOrder
	}
	for _, text := range []string{"q", "7", "-", "q\n7", "7\n-\nq", "-\n-\nq\n7\nx y"} {
		if !find(text, lines, &values{written: true}).holds {
			return false
		}
	}
	return true
}
