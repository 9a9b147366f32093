package plan

import "strings"

// evidence is the part of a text for which an assertion holds, in whole lines:
// what a reader wants to see of a long output. It is empty for an assertion of
// absence in many lines, which has nothing to show, and the text itself for one
// about all of it.
func (t Text) evidence(text string, v *values) string {
	from, to := 0, len(text)
	switch {
	case t.Matches != nil:
		at := v.pattern(t.Matches).FindStringIndex(text)
		from, to = at[0], at[1]
	case t.Contains != nil:
		want := strings.TrimRight(v.text(t.Contains), "\n")
		from = strings.Index(text, want)
		to = from + len(want)
	case t.NotContains != nil, t.NotMatches != nil, t.Not != nil, t.Empty != nil && *t.Empty:
		if strings.Contains(text, "\n") {
			return ""
		}
	}
	from = strings.LastIndexByte(text[:from], '\n') + 1
	if end := strings.IndexByte(text[to:], '\n'); end >= 0 {
		to += end
	} else {
		to = len(text)
	}
	return shorten(text[from:to])
}
