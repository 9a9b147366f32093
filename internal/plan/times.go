package plan

import (
	"fmt"
	"regexp"
	"strconv"
)

// maxTimes is the most often that a line may be asked for by number.
const maxTimes = 1000

// times is how often a line may come; max -1 is any number.
type times struct{ min, max int }

var timesText = regexp.MustCompile(`^([0-9]{1,5})(?:-([0-9]{1,5}))?$`)

// UnmarshalText reads "?", "*", "+", "3" and "2-5".
func (t *times) UnmarshalText(text []byte) error {
	switch string(text) {
	case "?":
		*t = times{0, 1}
		return nil
	case "*":
		*t = times{0, -1}
		return nil
	case "+":
		*t = times{1, -1}
		return nil
	}
	m := timesText.FindSubmatch(text)
	if m == nil {
		return fmt.Errorf(`must be ?, *, +, a number or a range such as 2-5, not %q`, text)
	}
	// The expression leaves nothing that Atoi refuses.
	t.min, _ = strconv.Atoi(string(m[1]))
	t.max = t.min
	if m[2] != nil {
		t.max, _ = strconv.Atoi(string(m[2]))
	}
	switch {
	case t.max == 0:
		return fmt.Errorf("%q: it can never come", text)
	case t.max < t.min:
		return fmt.Errorf("%q: the second number is less than the first", text)
	case t.max > maxTimes:
		return fmt.Errorf("%q: at most %d times", text, maxTimes)
	}
	return nil
}

// JSONSchema is for editors.
func (t *times) JSONSchema() map[string]any {
	return map[string]any{"type": []any{"string", "integer"}, "pattern": `^([?*+]|[0-9]+(-[0-9]+)?)$`, "minimum": 1, "maximum": maxTimes}
}

// String says it in words; once is nothing to say.
func (t times) String() string {
	switch {
	case t == times{1, 1}:
		return ""
	case t == times{0, 1}:
		return "or none"
	case t == times{0, -1}:
		return "any number"
	case t == times{1, -1}:
		return "one or more"
	case t.min == t.max:
		return fmt.Sprintf("%d times", t.min)
	}
	return fmt.Sprintf("%d to %d times", t.min, t.max)
}
