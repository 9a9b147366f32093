package restore

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
)

var update = flag.Bool("update", false, "write the golden files anew")

// raw reads what a script printed; the signs that cannot be seen stand for
// themselves in the file: ␞, ␟ and ␀.
func raw(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return strings.NewReplacer("␞", "\x1e", "␟", "\x1f", "␀", "\x00").Replace(string(content))
}

// golden compares sections with a file that shows them as people read them.
func golden(t *testing.T, name string, sections []Section) {
	t.Helper()
	var b strings.Builder
	for _, s := range sections {
		require.NotNil(t, s.Lines, "section %s would be null in a file", s.Name)
		b.WriteString("== " + s.Node + ": " + s.Name + "\n")
		for _, line := range s.Lines {
			b.WriteString(line + "\n")
		}
	}
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

// clone copies a fingerprint, deep enough to change its lines.
func clone(t *testing.T, f Fingerprint) Fingerprint {
	t.Helper()
	content, err := json.Marshal(f)
	require.NoError(t, err)
	var c Fingerprint
	require.NoError(t, json.Unmarshal(content, &c))
	return c
}

// section is one of a fingerprint, to look at or to change.
func (f *Fingerprint) section(t *testing.T, node, name string) *Section {
	t.Helper()
	for i, s := range f.Sections {
		if s.Node == node && s.Name == name {
			return &f.Sections[i]
		}
	}
	require.Failf(t, "no such section", "%s of %s", name, node)
	return nil
}

func differences(base, now Fingerprint) []journal.Difference {
	all, _ := Compare(base, now)
	return all
}

func remarks(base, now Fingerprint) []journal.Difference {
	_, all := Compare(base, now)
	return all
}
