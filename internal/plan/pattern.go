package plan

import (
	"errors"
	"regexp"
	"strings"
)

// NewPattern compiles an expression, multi-line.
func NewPattern(expression string) (Pattern, error) {
	re, err := regexp.Compile("(?m)" + expression)
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return Pattern{}, errors.New("pattern does not compile: " + text)
	}
	return Pattern{re}, nil
}

// UnmarshalText is NewPattern for decoders.
func (p *Pattern) UnmarshalText(text []byte) (err error) {
	*p, err = NewPattern(string(text))
	return err
}

// Expression returns the pattern as it was written.
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
