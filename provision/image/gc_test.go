package image

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGCRemovesWhatTheLockDoesNotAskFor(t *testing.T) {
	store := fakeStore(t)
	old, err := store.Build(t.Context(), Variant{}, quiet)
	require.NoError(t, err)
	usedOld, err := store.Build(t.Context(), Variant{Recipe: Small}, quiet)
	require.NoError(t, err)
	step, err := store.step(t.Context(), "userland-small", store.userlandKey(Small), quiet, func(dir string) error {
		return os.WriteFile(filepath.Join(dir, "rootfs.tar"), []byte("12345"), 0o644)
	})
	require.NoError(t, err)

	lock := fakeLock()
	lock.Epoch++
	next := store.UseLock(lock)
	kept, err := next.Build(t.Context(), Variant{}, quiet)
	require.NoError(t, err)
	abandoned := filepath.Join(store.dir, "tmp", "image-1")
	require.NoError(t, os.MkdirAll(filepath.Join(abandoned, "root"), 0o755))
	running, err := store.scratch("image-")
	require.NoError(t, err)
	defer running.remove()

	swept, err := next.GC(t.Context(), func(id string) []string {
		if id == usedOld.ID {
			return []string{"pair-worker"}
		}
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"images/" + old.ID, "steps/" + filepath.Base(step)}, swept.Removed)
	assert.Equal(t, []InUseError{{ID: usedOld.ID, Users: []string{"pair-worker"}}}, swept.Kept)
	assert.Equal(t, 1, swept.Work)
	assert.Greater(t, swept.Bytes, int64(5))
	assert.NoDirExists(t, old.Dir)
	assert.NoDirExists(t, abandoned)
	assert.DirExists(t, usedOld.Dir)
	assert.DirExists(t, kept.Dir)
	assert.DirExists(t, running.path)
}

func TestGCKeepsEverythingOfTheCurrentLock(t *testing.T) {
	store := fakeStore(t)
	require.NoError(t, os.MkdirAll(filepath.Join(store.dir, "debs"), 0o755))
	for _, p := range store.lock.Packages {
		require.NoError(t, os.WriteFile(store.debPath(p), nil, 0o644))
	}
	require.NoError(t, os.WriteFile(store.debPath(Package{SHA256: digest("old")}), []byte("old"), 0o644))
	swept, err := store.GC(t.Context(), nobody)
	require.NoError(t, err)
	assert.Equal(t, []string{"debs/" + digest("old") + ".deb"}, swept.Removed)
	assert.Equal(t, int64(3), swept.Bytes)
}

func TestRemoveRefusesAnImageInUse(t *testing.T) {
	store := fakeStore(t)
	image, err := store.Build(t.Context(), Variant{}, quiet)
	require.NoError(t, err)
	err = store.Remove(t.Context(), image.ID, func(string) []string { return []string{"a", "b"} })
	var used *InUseError
	require.ErrorAs(t, err, &used)
	require.EqualError(t, err, `removing image "`+image.ID+`": it backs a, b`)
	assert.DirExists(t, image.Dir)
	require.NoError(t, store.Remove(t.Context(), image.ID, nobody))
	assert.NoDirExists(t, image.Dir)
	other, err := store.Build(t.Context(), Variant{Recipe: Small}, quiet)
	require.NoError(t, err)
	var unknown *UnknownError
	require.ErrorAs(t, store.Remove(t.Context(), image.ID, nobody), &unknown)
	assert.Equal(t, []string{other.ID}, unknown.Have)
}
