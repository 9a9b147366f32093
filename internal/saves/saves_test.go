package saves

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// watch starts a Watch and returns what it tells, and its end.
func watch(t *testing.T, file string) (saved chan string, ended chan error, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	saved, ended = make(chan string, 100), make(chan error, 1)
	go func() { ended <- Watch(ctx, file, func(content []byte) { saved <- string(content) }) }()
	return saved, ended, cancel
}

// next is what is told next.
func next(t *testing.T, saved chan string) string {
	t.Helper()
	select {
	case content := <-saved:
		return content
	case <-time.After(10 * time.Second):
		require.Fail(t, "nothing was told")
		return ""
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
}

func TestWatch(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "lab.yaml")
	write(t, file, "0")
	saved, ended, stop := watch(t, file)
	assert.Equal(t, "0", next(t, saved), "as it is at first")

	write(t, file, "1")
	assert.Equal(t, "1", next(t, saved), "written into")

	write(t, file+".tmp", "2")
	require.NoError(t, os.Rename(file+".tmp", file))
	assert.Equal(t, "2", next(t, saved), "replaced")
	write(t, file, "3")
	assert.Equal(t, "3", next(t, saved), "written into, once it was replaced")

	require.NoError(t, os.Rename(file, file+"~"))
	write(t, file, "4")
	assert.Equal(t, "4", next(t, saved), "moved away, and written anew")

	require.NoError(t, os.Remove(file))
	<-time.After(3 * quiet) // so that it is seen to be gone
	write(t, file, "5")
	assert.Equal(t, "5", next(t, saved), "gone for a while")

	write(t, filepath.Join(dir, "other"), "x")
	write(t, file, "5")
	write(t, file, "6")
	assert.Equal(t, "6", next(t, saved), "nothing for another file, nor for the same content")

	stop()
	require.NoError(t, <-ended)
	assert.Empty(t, saved)
}

func TestWatchFollowsALink(t *testing.T) {
	target := filepath.Join(t.TempDir(), "real.yaml")
	file := filepath.Join(t.TempDir(), "lab.yaml")
	write(t, target, "0")
	require.NoError(t, os.Symlink(target, file))
	saved, ended, stop := watch(t, file)
	assert.Equal(t, "0", next(t, saved))
	write(t, target, "1")
	assert.Equal(t, "1", next(t, saved))
	stop()
	require.NoError(t, <-ended)
}

func TestWatchEndsWithItsFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lab")
	require.NoError(t, os.Mkdir(dir, 0o700))
	file := filepath.Join(dir, "lab.yaml")
	write(t, file, "0")
	saved, ended, _ := watch(t, file)
	assert.Equal(t, "0", next(t, saved))
	require.NoError(t, os.RemoveAll(dir))
	select {
	case err := <-ended:
		require.ErrorIs(t, err, os.ErrNotExist)
	case <-time.After(10 * time.Second):
		require.Fail(t, "it goes on")
	}

	_, ended, _ = watch(t, file)
	require.ErrorIs(t, <-ended, os.ErrNotExist)
}
