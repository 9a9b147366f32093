package flock

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOneAtATime(t *testing.T) {
	dir := t.TempDir()
	for what, take := range map[string]func() (*os.File, error){
		"file":   func() (*os.File, error) { return File(filepath.Join(dir, "lock"), 0o600) },
		"folder": func() (*os.File, error) { return Folder(dir) },
	} {
		first, err := take()
		require.NoError(t, err, what)
		_, err = take()
		require.ErrorIs(t, err, ErrHeld, what)
		require.NoError(t, first.Close())
		second, err := take()
		require.NoError(t, err, what)
		require.NoError(t, second.Close())
	}
}

// Whoever removes a file while it is locked must not let two in.
func TestAFileThatWasRemovedIsNoLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := File(path, 0o600)
	require.NoError(t, err)
	defer first.Close()
	waiting, err := os.Open(path)
	require.NoError(t, err)
	require.NoError(t, os.Remove(path))
	require.NoError(t, first.Close())
	_, err = lock(waiting, path)
	require.ErrorIs(t, err, fs.ErrNotExist)

	second, err := File(path, 0o600)
	require.NoError(t, err)
	defer second.Close()
	info, err := second.Stat()
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	_, err = File(path, 0o600)
	require.ErrorIs(t, err, ErrHeld)
}

func TestWhatIsNotThere(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	_, err := Folder(none)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = File(filepath.Join(none, "lock"), 0o600)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
