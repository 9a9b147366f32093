package draft

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/lab"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each write-up has its lab as a golden file.
func TestLab(t *testing.T) {
	for _, name := range []string{"post.md", "post.txt", "mtu.md"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", name))
			require.NoError(t, err)
			got, err := Lab("walk", name, text)
			require.NoError(t, err)
			golden := filepath.Join("testdata", name+".lab.yaml")
			if *update {
				require.NoError(t, os.WriteFile(golden, got, 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got))

			_, err = lab.Parse(name, uncomment(got))
			assert.NoError(t, err, "what is commented out loads, too")
		})
	}
}

var commented = regexp.MustCompile(`(?m)^( *)# ((?:checks|claims):$|  .*)`)

// uncomment takes away the "# " in front of YAML.
func uncomment(file []byte) []byte { return commented.ReplaceAll(file, []byte("$1$2")) }

func TestWhatIsNoLab(t *testing.T) {
	_, err := Lab("walk", "post.md", []byte("# Words\n\nNothing else.\n"))
	var none *NoCommandsError
	require.ErrorAs(t, err, &none)
	assert.Contains(t, none.Hint(), "fenced")
	_, err = Lab("walk", "post.md", []byte("```sh\n  \n\t\n```\n"))
	require.ErrorAs(t, err, &none, "blanks are no commands")
	_, err = Lab("Walk!", "post.md", []byte("```sh\nls\n```\n"))
	assert.ErrorContains(t, err, "Walk!")
	_, err = Lab("walk", "post.md", nil)
	require.ErrorAs(t, err, &none)
}

// Whatever a text has, what is made of it loads, with and without its comments.
func FuzzLab(f *testing.F) {
	for _, name := range []string{"post.md", "post.txt", "mtu.md"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		f.Add(string(text), true)
		f.Add(string(text), false)
	}
	for _, text := range []string{"$ ", "$ a\n\x00\x1b[1m", "```\n$ ls\n\tx\n```", "    ls\n\n\n\t  x", "ls <<X", "# \n```sh\n\n```", "ls\r\n# x: |", "```sh\n'\n```\nIt shows \"x\": - #\u2028."} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, md bool) {
		name := "x.txt"
		if md {
			name = "x.md"
		}
		got, err := Lab("walk", name, []byte(text))
		var none *NoCommandsError
		if err != nil {
			require.ErrorAs(t, err, &none)
			return
		}
		_, err = lab.Parse(name, uncomment(got))
		require.NoError(t, err, string(got))
	})
}
