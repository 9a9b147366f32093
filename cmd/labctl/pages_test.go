package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/site"
)

// prompted is what a page types at a prompt, and what it says comes of it.
type prompted struct {
	command, output string
}

// promptedIn reads a block of commands behind "$ ", each with the output behind it.
// Lines of output before the first command are those of no command.
func promptedIn(text string) []prompted {
	var all []prompted
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, prompted{command: strings.TrimSpace(command)})
		} else if n := len(all); n > 0 {
			all[n-1].output += line
		}
	}
	return all
}

// shown is a pattern of the output that a page shows: a line "…" stands for any
// number of lines, and "…" in a line for any text.
func shown(output string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`\A`)
	for line := range strings.Lines(output) {
		if strings.TrimSpace(line) == "…" {
			b.WriteString(`(?:.*\n)*?`)
			continue
		}
		line = strings.TrimRight(line, " \n")
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + ` *\n`)
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String())
}

func TestShown(t *testing.T) {
	for _, c := range []struct {
		page, output string
		want         bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\nb\n", "a\nb\nc\n", false},
		{"a\n…\n", "a\nb\nc\n", true},
		{"a\n…\nc\n", "a\nc\n", true},
		{"a\n…\nc\n", "a\nc\nd\n", false},
		{"a (… s)\n", "a (1.2 s)\n", true},
		{"a (… s)\n", "a (1.2 s)\n\n", false},
		{"a.\n", "ab\n", false},
		{"", "", true},
		{"", "a\n", false},
	} {
		assert.Equal(t, c.want, shown(c.page).MatchString(c.output), "%q of %q", c.page, c.output)
	}
}

// pages are the documents in which commands are looked at, by their paths. The
// changelog tells of commands that may be gone.
func pages(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, p := range site.Pages() {
		if p.File == "CHANGELOG.md" {
			continue
		}
		content, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(p.File)))
		require.NoError(t, err)
		all[p.File] = content
	}
	return all
}
