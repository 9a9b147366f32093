package private

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestStopWithoutTheFolder(t *testing.T) {
	dir := stateDir(t, "h")
	ensure(t, dir)
	require.NoError(t, os.RemoveAll(dir))
	stop(t, dir)
	assert.NoDirExists(t, dir)
}

func TestForeignFolderIsLeftAlone(t *testing.T) {
	dir := stateDir(t, "h")
	precious := filepath.Join(dir, "etc", "precious")
	require.NoError(t, os.MkdirAll(filepath.Dir(precious), 0o755))
	require.NoError(t, os.WriteFile(precious, nil, 0o600))
	_, err := Ensure(t.Context(), dir, Options{})
	assert.ErrorContains(t, err, "is not ours")
	stop(t, dir)
	assert.FileExists(t, precious)
}

func TestStopDoesNotDeleteThroughAMount(t *testing.T) {
	dir := stateDir(t, "h")
	ensure(t, dir)
	precious := filepath.Join(t.TempDir(), "precious")
	require.NoError(t, os.MkdirAll(precious, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(precious, "file"), nil, 0o600))
	point := filepath.Join(dir, "lib", "images", "mounted")
	require.NoError(t, os.Mkdir(point, 0o755))
	// A mount in a namespace of the thread's own: nobody else sees it.
	require.NoError(t, onThread(func() error {
		if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
			return err
		}
		if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
			return err
		}
		if err := unix.Mount(precious, point, "", unix.MS_BIND, ""); err != nil {
			return err
		}
		assert.ErrorContains(t, remove(dir), "is a mount that we did not make")
		return nil
	}))
	assert.FileExists(t, filepath.Join(precious, "file"))
}

func TestNoDaemonOutsideItsNamespaces(t *testing.T) {
	assert.EqualError(t, insideOf("/state/pair"),
		`entering the private namespaces: /run belongs to "" and not to "/state/pair"`)
}
