package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	root := t.TempDir()
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for range 2 { // the second has no journal yet
		_, err := NewFolder(filepath.Join(root, "runs"), "one", begun)
		require.NoError(t, err)
	}
	for _, file := range []string{"runs/one/20260102T030405Z/" + JournalFile, "night 7/two/" + JournalFile, "night 7/notes/" + LabFile, "two/raw/" + JournalFile} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, file), nil, 0o600))
	}
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(root, link))
	for _, from := range []string{root, link} {
		found, err := Find(from)
		require.NoError(t, err)
		for i := range found {
			found[i], err = filepath.Rel(root, found[i])
			require.NoError(t, err)
		}
		assert.Equal(t, []string{"night 7/two", "runs/one/20260102T030405Z", "runs/one/20260102T030405Z-2"}, found, "each once, latest leads to one of them")
	}
	_, err := Find(filepath.Join(root, "gone"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "looking for runs: ")
}

func TestStamp(t *testing.T) {
	assert.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Stamp("/runs/one/20260102T030405Z-12"))
	assert.True(t, Stamp("/runs/one/latest").IsZero())
	assert.True(t, Stamp("/runs/one/20269902T030405Z").IsZero())
}
