package private

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadOnlyFolders(t *testing.T) {
	dir := stateDir(t, "h")
	closed := filepath.Join(t.TempDir(), "closed") // QEMU's user cannot pass here
	require.NoError(t, os.Mkdir(closed, 0o700))
	images := filepath.Join(closed, "images")
	require.NoError(t, os.Mkdir(images, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(images, "base"), []byte("base"), 0o644))

	ensure(t, dir) // the folder is added while the daemon runs
	d, err := Ensure(t.Context(), dir, Options{ReadOnly: []string{images}})
	require.NoError(t, err)
	path := d.Visible(filepath.Join(images, "base"))
	require.NotEqual(t, filepath.Join(images, "base"), path)

	out, err := d.Exec(t.Context(), "setpriv", "--reuid", qemuAccount().name, "--clear-groups", "cat", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, "base", string(out))
	out, err = d.Exec(t.Context(), "touch", path).CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), "Read-only file system")

	found, ok, err := Find(dir)
	require.NoError(t, err)
	require.True(t, ok)
	assert.Equal(t, path, found.Visible(filepath.Join(images, "base")), "Find knows the folder")

	require.NoError(t, os.Chmod(images, 0o700))
	_, err = Ensure(t.Context(), dir, Options{ReadOnly: []string{images}})
	require.NoError(t, err, "a folder that is there is not asked about again")
	_, err = Ensure(t.Context(), dir, Options{ReadOnly: []string{closed}})
	var unreadable *UnreadableError
	require.ErrorAs(t, err, &unreadable)
	assert.Equal(t, "chmod o+rx '"+closed+"'; the folders above it may stay closed", unreadable.Hint())
	stop(t, dir)
	assert.FileExists(t, filepath.Join(images, "base"))
}
