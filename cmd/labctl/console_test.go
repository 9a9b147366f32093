package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAdded(t *testing.T) {
	var long strings.Builder
	for i := range 100_000 {
		long.WriteString(strings.Repeat("x", i%7) + "\n")
	}
	old := []byte(long.String())
	for name, c := range map[string]struct{ shown, content, want string }{
		"first look":            {"", "boot\n", "boot\n"},
		"nothing new":           {"boot\n", "boot\n", ""},
		"more":                  {"boot\n", "boot\nup\n", "up\n"},
		"more of the same":      {"boot\n", "boot\nx\nboot\n", "x\nboot\n"},
		"the beginning is lost": {"one\ntwo\n", "two\nthree\n", "two\nthree\n"},
		"another boot":          {"one\n", "two\n", "two\n"},
	} {
		assert.Equal(t, c.want, string(added([]byte(c.shown), []byte(c.content))), name)
	}
	cut := append(bytes.Clone(old[len(old)/2:]), "new\n"...)
	assert.Equal(t, "new\n", string(added(old, cut)), "a long console that lost its beginning")
}
