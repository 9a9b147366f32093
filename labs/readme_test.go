package labs

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/labdoc"
)

var update = flag.Bool("update", false, "rewrite the READMEs and the expected verdicts of the labs")

// A lab's README.md is made from its lab.yaml: `go test ./labs -update` writes it.
func TestReadmes(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			l, err := Open(name)
			require.NoError(t, err)
			file := filepath.Join(Folder(name), "README.md")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(labdoc.Markdown(l, l.Name)), 0o600))
			}
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(content), labdoc.Markdown(l, l.Name), "write it: go test ./labs -update")
		})
	}
}
