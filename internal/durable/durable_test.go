package durable

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, content := range []string{"one", "", "another, and longer"} {
		require.NoError(t, WriteFile(path, []byte(content), 0o640))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, content, string(got))
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o640), info.Mode())
	}
	require.NoError(t, Remove(path))
	assert.ErrorIs(t, Remove(path), fs.ErrNotExist)

	// What cannot take the file's place leaves nothing beside it.
	require.NoError(t, os.MkdirAll(filepath.Join(path, "in the way"), 0o700))
	require.Error(t, WriteFile(path, []byte("x"), 0o600))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	assert.ErrorIs(t, WriteFile(filepath.Join(dir, "none", "file"), nil, 0o600), fs.ErrNotExist)
}
