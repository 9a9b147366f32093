package plan

import (
	"fmt"
	"regexp"
	"strings"
)

// Template is text in which ${NAME} stands for a variable and $${NAME} for the
// text ${NAME}.
type Template struct {
	// Text is as it was written.
	Text string
}

// UnmarshalText takes the text as it is.
func (t *Template) UnmarshalText(text []byte) error {
	t.Text = string(text)
	return nil
}

// UnknownVariableError says that a variable has no value.
type UnknownVariableError struct{ Name string }

// Error names the variable.
func (e *UnknownVariableError) Error() string {
	return fmt.Sprintf("variable %q has no value", e.Name)
}

// Expand puts values in place of variables. The error is an
// *UnknownVariableError.
func (t Template) Expand(vars map[string]string) (string, error) {
	return expand(t.Text, vars, func(value string) string { return value })
}

var reference = regexp.MustCompile(`\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// references returns the names of the variables in a text, in its order.
func references(text string) []string {
	var names []string
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[0], "$$") {
			names = append(names, m[1])
		}
	}
	return names
}

// expand quotes what it puts in.
func expand(text string, vars map[string]string, quote func(string) string) (string, error) {
	var unknown error
	text = reference.ReplaceAllStringFunc(text, func(m string) string {
		if literal, ok := strings.CutPrefix(m, "$$"); ok {
			return quote("$" + literal)
		}
		name := m[2 : len(m)-1]
		value, ok := vars[name]
		if !ok && unknown == nil {
			unknown = &UnknownVariableError{name}
		}
		return quote(value)
	})
	return text, unknown
}
