package plan

import (
	"errors"
	"regexp"
	"strings"
)

// NewPattern compiles an expression, multi-line. Variables in it stay as they
// are written until With gives them values.
func NewPattern(expression string) (Pattern, error) {
	own := map[string]string{}
	for _, name := range references(expression) {
		own[name] = "${" + name + "}"
	}
	return Pattern{written: expression}.With(own)
}

// With returns the pattern with the variables' values in place, each literally.
// The error is an *UnknownVariableError, or says why it does not compile.
func (p Pattern) With(vars map[string]string) (Pattern, error) {
	expression, err := expand(p.written, vars, regexp.QuoteMeta)
	if err != nil {
		return Pattern{}, err
	}
	re, err := regexp.Compile("(?m)" + expression)
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return Pattern{}, errors.New("pattern does not compile: " + text)
	}
	return Pattern{Regexp: re, written: p.written}, nil
}

// UnmarshalText is NewPattern for decoders.
func (p *Pattern) UnmarshalText(text []byte) (err error) {
	*p, err = NewPattern(string(text))
	return err
}

// Expression returns the pattern as it is matched: as it was written, with the
// values that With put in.
func (p Pattern) Expression() string { return strings.TrimPrefix(p.Regexp.String(), "(?m)") }

// matchesAnything says that a pattern asserts nothing: it matches texts that
// have nothing in common.
func (p Pattern) matchesAnything() bool {
	for _, text := range []string{"", "q", "7", "-", "\n"} {
		if !p.MatchString(text) {
			return false
		}
	}
	return true
}

// find returns the first group, or the whole match if there is no group.
func (p Pattern) find(text string) (string, bool) {
	m := p.FindStringSubmatchIndex(text)
	if m == nil || m[len(m)-2] < 0 {
		return "", false
	}
	if len(m) > 2 {
		m = m[2:4]
	}
	return text[m[0]:m[1]], true
}
