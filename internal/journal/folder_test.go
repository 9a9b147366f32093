package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Who has opened the latest run reads that one to the end, whatever begins meanwhile.
func TestOpenFolderStaysWithItsRun(t *testing.T) {
	runs := t.TempDir()
	first, err := NewFolder(runs, "lab", time.Unix(1, 0))
	require.NoError(t, err)
	require.NoError(t, first.Write(JournalFile, []byte("first")))
	latest := filepath.Join(runs, "lab", latestLink)
	opened, err := OpenFolder(latest)
	require.NoError(t, err)
	second, err := NewFolder(runs, "lab", time.Unix(2, 0))
	require.NoError(t, err)
	require.NoError(t, second.Write(JournalFile, []byte("second")))
	content, err := os.ReadFile(opened.File(JournalFile))
	require.NoError(t, err)
	assert.Equal(t, "first", string(content))
	opened, err = OpenFolder(latest)
	require.NoError(t, err)
	assert.Equal(t, second.Path, opened.Path)
}
