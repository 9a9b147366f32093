package image

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestManifestReadsWhatItWrites(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.Chmod(root, 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "a b"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(root, "a b", "new\nline"), []byte("x"), 0o600))
	require.NoError(t, os.Symlink("/nowhere else", filepath.Join(root, "link")))
	manifest, err := takeManifest(root)
	require.NoError(t, err)
	again, err := ParseManifest(manifest.String())
	require.NoError(t, err)
	assert.Equal(t, manifest, again)
	require.Len(t, manifest, 4)
	assert.Equal(t, File{"a b/new\nline", "-rw-------", manifest[0].Owner, 1,
		"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}, manifest[2])
	assert.Equal(t, "/nowhere else", manifest[3].Content)
	assert.Equal(t, "drwxr-x---", manifest[1].Mode)
}

func TestManifestDiff(t *testing.T) {
	a := Manifest{{"gone", "-rw-r--r--", "0:0", 1, "x"}, {"mode", "-rw-r--r--", "0:0", 1, "x"}, {"same", "-rw-r--r--", "0:0", 1, "x"}}
	b := Manifest{{"mode", "-rwxr-xr-x", "0:0", 1, "x"}, {"new", "-rw-r--r--", "0:0", 1, "x"}, {"same", "-rw-r--r--", "0:0", 1, "x"}}
	assert.Equal(t, []string{
		`- -rw-r--r-- 0:0 1 "x" "gone"`,
		`- -rw-r--r-- 0:0 1 "x" "mode"`,
		`+ -rwxr-xr-x 0:0 1 "x" "mode"`,
		`+ -rw-r--r-- 0:0 1 "x" "new"`,
	}, a.Diff(b))
	assert.Empty(t, a.Diff(a))
}
