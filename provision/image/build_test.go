package image

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cacheDir is the cache that tests build real images in: the user's own if
// there is one, so that packages are fetched once.
func cacheDir(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("LABCTL_CACHE"); dir != "" {
		return dir
	}
	if user, err := os.UserCacheDir(); err == nil {
		if dir := filepath.Join(user, "labctl"); exists(dir) {
			return dir
		}
	}
	return t.TempDir()
}

func TestTwoBuildsAreTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("builds real images: run without -short, as root, as `make test` does")
	}
	first, err := Open(cacheDir(t))
	require.NoError(t, err)
	one, err := first.Build(t.Context(), Variant{Recipe: Small}, func(text string) { t.Log(text) })
	require.NoError(t, err)
	require.NoError(t, first.Verify(t.Context(), one))

	// The second build shares nothing with the first but the fetched packages.
	dir := t.TempDir()
	require.NoError(t, first.fetch(t.Context(), append(first.lock.Set(Small).Packages, first.lock.Set("kernel-6.12").Packages...), quiet))
	require.NoError(t, os.Symlink(filepath.Join(first.dir, "debs"), filepath.Join(dir, "debs")))
	second, err := Open(dir)
	require.NoError(t, err)
	other, err := second.Build(t.Context(), Variant{Recipe: Small}, func(text string) { t.Log(text) })
	require.NoError(t, err)

	assert.Equal(t, one.ID, other.ID)
	oneFiles, err := one.Manifest()
	require.NoError(t, err)
	otherFiles, err := other.Manifest()
	require.NoError(t, err)
	assert.Greater(t, len(oneFiles), 200)
	assert.Empty(t, oneFiles.Diff(otherFiles))
	assert.Equal(t, one.SHA256, other.SHA256, "down to the last bit")

	left, err := os.ReadDir(filepath.Join(dir, "tmp"))
	require.NoError(t, err)
	assert.Empty(t, left)
	for _, file := range oneFiles {
		if file.Path == "usr/bin/sudo" {
			assert.Equal(t, "urwxr-xr-x", file.Mode)
		}
	}
}
