package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/site"
)

// literals are all texts in the program's own files, one a line, with what is
// filled in later as "…".
func literals(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	verbs := strings.NewReplacer(`%q`, `"…"`, "%s", "…", "%d", "…", "%v", "…", "%w", "…", "%04o", "…")
	for _, folder := range []string{"cmd", "internal", "provision", "topology", "labs"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, content, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil {
						all.WriteString(verbs.Replace(text) + "\n")
					}
				}
				return true
			})
			return nil
		}))
	}
	return all.String()
}

// pieces are the parts of a message that are the same each time, without those
// that are too short to find anything by.
func pieces(message string) (parts []string) {
	for _, prefix := range []string{"error: ", "hint: "} {
		message = strings.TrimPrefix(message, prefix)
	}
	for _, part := range strings.Split(message, "…") {
		part = strings.Trim(part, `" `)
		if len(part) >= 8 {
			parts = append(parts, part)
		}
	}
	return parts
}

// TestMessagesAreReal finds each message that troubleshooting.md quotes in the
// program.
func TestMessagesAreReal(t *testing.T) {
	program := literals(t)
	count := 0
	for _, b := range site.Blocks(read(t, "troubleshooting.md")) {
		if b.Language != "text" {
			continue
		}
		for i, line := range strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n") {
			parts := pieces(line)
			assert.NotEmpty(t, parts, "troubleshooting.md:%d: %q says too little to be found", b.Line+1+i, line)
			for _, part := range parts {
				count++
				assert.True(t, strings.Contains(program, part), "troubleshooting.md:%d: nothing in labctl says %q", b.Line+1+i, part)
			}
		}
	}
	assert.Greater(t, count, 25)
	assert.NotContains(t, program, "a message that labctl has never had")
}
