package labs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryLabLoads(t *testing.T) {
	require.Contains(t, Names(), "conntrack-reset")
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			l, err := Open(name)
			require.NoError(t, err)
			assert.Equal(t, name, l.Name, "a lab is named as its folder")
			assert.FileExists(t, filepath.Join(Folder(name), "lab.yaml"))
			assert.NotEmpty(t, l.Steps.Steps)
			assert.NotEmpty(t, l.Teardown.Steps)
		})
	}
}

// Drafts too, which the catalogue does not have: they are run by their path, until a
// whole run of theirs has passed on a pair.
func TestEveryLabFileLoads(t *testing.T) {
	seen := map[string]string{}
	for _, pattern := range []string{"*/lab.yaml", "*/*/lab.yaml", "*/draft.yaml", "*/*/draft.yaml"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range found {
			l, err := Open(file)
			require.NoError(t, err)
			assert.Equal(t, filepath.Base(filepath.Dir(file)), l.Name, "a lab is named as its folder")
			assert.Empty(t, seen[l.Name], "%s: the name is taken", file)
			seen[l.Name] = file
			_, err = Sabotage(file, l)
			if filepath.Base(file) == "draft.yaml" && errors.Is(err, ErrNoSabotage) {
				continue
			}
			require.NoError(t, err)
		}
	}
	for _, name := range Names() {
		assert.Contains(t, seen, name)
	}
}

func TestOpenTakesNamesAndPaths(t *testing.T) {
	want, err := Open("conntrack-reset")
	require.NoError(t, err)
	for _, path := range []string{"./conntrack-reset", "conntrack-reset/lab.yaml"} {
		got, err := Open(path)
		require.NoError(t, err)
		assert.Equal(t, len(want.Steps.Steps), len(got.Steps.Steps))
		assert.True(t, strings.HasPrefix(got.Steps.Steps[0].Pos, filepath.Clean(strings.TrimSuffix(path, "lab.yaml"))))
	}

	_, err = Open("contrack-reset")
	var unknown *UnknownError
	require.ErrorAs(t, err, &unknown)
	assert.Contains(t, unknown.Hint(), `did you mean "conntrack-reset"?`)

	_, err = Open("./none")
	assert.ErrorIs(t, err, os.ErrNotExist)

	t.Chdir("conntrack-reset/the-reset")
	for path, name := range map[string]string{".": "the-reset", "..": "conntrack-reset"} {
		l, err := Open(path)
		require.NoError(t, err)
		assert.Equal(t, name, l.Name)
	}
}
