// Package yamltest holds loaders of YAML files to what they say of bad ones.
package yamltest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// BadFiles parses every testdata/bad/NAME.yaml of the package under test, which
// must be refused with just the text of NAME.err. With -update it writes those.
func BadFiles(t *testing.T, parse func(name string, data []byte) error) {
	t.Helper()
	paths, err := filepath.Glob("testdata/bad/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			refused := parse(filepath.Base(path), data)
			require.Error(t, refused)
			Golden(t, strings.TrimSuffix(path, ".yaml")+".err", refused.Error()+"\n")
		})
	}
}

// Golden compares text with a file. With -update it writes the file.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

var update = flag.Bool("update", false, "rewrite golden files")
