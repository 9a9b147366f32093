package report_test

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/report"
)

var update = flag.Bool("update", false, "rewrite golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "go test ./internal/report -update rewrites %s", path)
}

// printers makes each report of a result.
func printers(t *testing.T) map[string]func(journal.Result) []byte {
	checked := func(f func(journal.Result) ([]byte, error)) func(journal.Result) []byte {
		return func(r journal.Result) []byte {
			b, err := f(r)
			require.NoError(t, err)
			return b
		}
	}
	return map[string]func(journal.Result) []byte{
		"report.html": checked(report.HTML),
		"junit.xml":   checked(report.JUnit),
		"result.json": checked(report.JSON),
		"report.md":   func(r journal.Result) []byte { return []byte(report.Markdown(r)) },
		"console.txt": func(r journal.Result) []byte {
			var b bytes.Buffer
			report.Console(&b, r)
			return b.Bytes()
		},
		"claims.txt": func(r journal.Result) []byte {
			var b bytes.Buffer
			report.Claims(&b, r)
			return b.Bytes()
		},
	}
}

func TestGolden(t *testing.T) {
	for name, made := range printers(t) {
		golden(t, name, made(realistic()))
	}
	for kind, r := range map[string]journal.Result{"unloaded": unloaded(), "killed": killed(), "interrupted": interrupted()} {
		golden(t, kind+".txt", printers(t)["console.txt"](r))
	}
}

// TestText: whatever came, a report is text that no terminal or reader obeys.
func TestText(t *testing.T) {
	for kind, r := range results() {
		for name, made := range printers(t) {
			got := string(made(r))
			assert.Equal(t, got, string(made(r)), "%s of %s is the same each time", name, kind)
			assert.Less(t, len(got), 600<<20)
			for i, c := range got {
				odd := c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 || c == 0x202e || c == 0x200b || c == 0xfffd
				// JSON keeps what is not seen, as escapes or as it is: programs read it.
				if odd && (name != "result.json" || c < ' ') {
					t.Errorf("%s of %s has %q at %d: %q", name, kind, c, i, got[max(0, i-20):i])
					break
				}
			}
			if strings.HasSuffix(name, ".txt") {
				for n, l := range strings.Split(got, "\n") {
					assert.LessOrEqual(t, len([]rune(l)), 120, "%s of %s, line %d", name, kind, n+1)
				}
			}
		}
	}
}

// TestSize: what a CI system or a browser would refuse is no report.
func TestSize(t *testing.T) {
	for name, limit := range map[string]int{"report.html": 8 << 20, "junit.xml": 1 << 20, "report.md": 64 << 10, "console.txt": 16 << 10} {
		assert.Less(t, len(printers(t)[name](hostile())), limit, name)
	}
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "new")
	require.NoError(t, report.Write(dir, unloaded()))
	require.NoError(t, report.Write(dir, realistic()), "a second time, over the first")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode(), e.Name())
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{"junit.xml", "report.html", "report.md", "result.json"}, names, "and no leftovers")
	info, err := os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	for _, name := range names {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, string(printers(t)[name](realistic())), string(got))
	}
}

// TestWriteWhatItCan: one report that cannot be made costs none of the others.
func TestWriteWhatItCan(t *testing.T) {
	dir := t.TempDir()
	r := realistic()
	r.Seconds = math.NaN() // has no JSON
	err := report.Write(dir, r)
	require.ErrorContains(t, err, "writing result.json: ")
	for _, name := range []string{"junit.xml", "report.html", "report.md"} {
		assert.FileExists(t, filepath.Join(dir, name))
	}
	assert.NoFileExists(t, filepath.Join(dir, "result.json"))

	require.NoError(t, os.Mkdir(filepath.Join(dir, "result.json"), 0o700))
	require.ErrorContains(t, report.Write(dir, realistic()), "result.json")
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	require.NoError(t, err)
	assert.Empty(t, left, "what could not be renamed is removed")
	require.Error(t, report.Write(filepath.Join(dir, "junit.xml", "x"), realistic()))
}
