package plan

import (
	"fmt"
	"strings"
)

// finding is what an assertion says of a text.
type finding struct {
	// want is the assertion in words that go behind the subject's name.
	want  string
	holds bool
	// got is what to show instead of the text itself; empty for the text.
	got string
	// err says that nobody can tell.
	err bool
}

// find judges normalised text.
func (t Text) find(text string, v *values) finding {
	switch {
	case t.Equals != nil:
		return findEqual(text, Normalise(v.text(t.Equals)))
	case t.Not != nil:
		want := Normalise(v.text(t.Not))
		return finding{want: fmt.Sprintf("is not %q", want), holds: text != want}
	case t.Contains != nil:
		want := strings.TrimRight(v.text(t.Contains), "\n")
		return finding{want: fmt.Sprintf("contains %q", want), holds: strings.Contains(text, want)}
	case t.NotContains != nil:
		want := strings.TrimRight(v.text(t.NotContains), "\n")
		return finding{want: fmt.Sprintf("does not contain %q", want), holds: !strings.Contains(text, want)}
	case t.Matches != nil:
		p := v.pattern(t.Matches)
		return finding{want: fmt.Sprintf("matches /%s/", p.Expression()), holds: p.MatchString(text)}
	case t.NotMatches != nil:
		p := v.pattern(t.NotMatches)
		return finding{want: fmt.Sprintf("does not match /%s/", p.Expression()), holds: !p.MatchString(text)}
	case t.Empty != nil && *t.Empty:
		return finding{want: "is empty", holds: text == ""}
	case t.Empty != nil:
		return finding{want: "is not empty", holds: text != ""}
	case t.Lines != nil:
		return findLines(text, t.Lines, v)
	case t.AnyOrder != nil:
		return findAnyOrder(text, t.AnyOrder, v)
	case t.Count != nil:
		return t.Count.find(text, v)
	case t.JSON != nil:
		return t.JSON.find(text, v)
	}
	return t.findTyped(text, v)
}

func findEqual(text, want string) finding {
	f := finding{want: fmt.Sprintf("equals %q", want), holds: text == want}
	switch {
	case f.holds:
	case strings.Contains(text, "\n") || strings.Contains(want, "\n"):
		literal := make([]matcher, 0)
		for _, line := range splitLines(want) {
			literal = append(literal, literalMatcher(line))
		}
		f.got = diffLines(literal, splitLines(text))
	default:
		f.got = shorten(visible(text))
	}
	return f
}

// settled says that a verdict on a part of a text is one on the whole: what was
// seen was there, and what was not seen may have been in the rest.
func (t Text) settled(holds bool) bool {
	switch {
	case t.Contains != nil, t.Matches != nil, t.Empty != nil && !*t.Empty:
		return holds
	case t.NotContains != nil, t.NotMatches != nil, t.Empty != nil:
		return !holds
	}
	return false
}

// find judges what the query finds. Text that is no JSON is not what was wanted.
func (j JSON) find(text string, v *values) finding {
	found, err := j.Query.find(text)
	inner := j.Text.find(Normalise(found), v)
	f := finding{want: fmt.Sprintf("as JSON: %s %s", j.Query.Text, inner.want)}
	if err != nil {
		f.got = shorten(fmt.Sprintf("%s: %s", err, text))
		return f
	}
	f.holds, f.err, f.got = inner.holds, inner.err, inner.got
	if f.got == "" {
		f.got = shorten(found)
	}
	return f
}
