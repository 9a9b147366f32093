package libvirt_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/provision"
	"labctl/provision/libvirt"
)

// occupiedFolder: what lies where the pool's directory will be is somebody's.
func occupiedFolder(s *site) {
	folder := filepath.Join(s.local(pools), owner)
	require.NoError(s, os.MkdirAll(filepath.Join(folder, "more"), 0o755))
	require.NoError(s, os.WriteFile(filepath.Join(folder, "disk.img"), []byte("somebody's"), 0o600))
	require.NoError(s, os.Chmod(folder, 0o750))
	require.NoError(s, os.Chown(folder, 4711, 0))
	for range 2 { // the first try leaves nothing that the second would take for its own
		_, err := s.hv.EnsureVolume(s.Context(), provision.Volume{Owner: owner, Name: "a", Format: "raw", Capacity: 1 << 20})
		require.ErrorIs(s, err, provision.ErrForeign)
		var occupied *libvirt.OccupiedError
		require.ErrorAs(s, err, &occupied)
		require.ElementsMatch(s, []string{"disk.img", "more"}, occupied.Files)
		require.Equal(s, "4711", occupied.User)
		require.Contains(s, occupied.Hint(), occupied.Path)
	}
	objects, err := s.hv.Objects(s.Context(), owner)
	require.NoError(s, err)
	require.Empty(s, objects)
	require.NoError(s, s.hv.Remove(s.Context(), provision.Object{Kind: provision.KindPool, Name: "labctl-" + owner, Owner: owner}))
	content, err := os.ReadFile(filepath.Join(folder, "disk.img"))
	require.NoError(s, err)
	require.Equal(s, "somebody's", string(content))
	info, err := os.Stat(folder)
	require.NoError(s, err)
	require.Equal(s, os.FileMode(0o750), info.Mode().Perm())

	// An empty folder is nobody's.
	require.NoError(s, os.RemoveAll(folder))
	require.NoError(s, os.MkdirAll(folder, 0o755))
	_, err = s.hv.EnsureVolume(s.Context(), provision.Volume{Owner: owner, Name: "a", Format: "raw", Capacity: 1 << 20})
	require.NoError(s, err)
}

func lastPool(s *site) {
	root := s.local(pools)
	make := func(owner string) {
		_, err := s.hv.EnsureVolume(s.Context(), provision.Volume{Owner: owner, Name: "a", Format: "raw", Capacity: 1 << 20})
		require.NoError(s, err)
	}
	remove := func(owner string) {
		require.NoError(s, s.hv.Remove(s.Context(), provision.Object{Kind: provision.KindPool, Name: "labctl-" + owner, Owner: owner}))
	}
	make(owner)
	make("second")
	remove(owner)
	require.DirExists(s, root, "another pair's pool is in it")
	remove("second")
	require.NoDirExists(s, root)
	require.NotContains(s, s.user.virsh(s.T, "pool-list", "--all", "--name"), "labctl")
}

func TestAnOccupiedFolderIsToldInFew(t *testing.T) {
	e := &libvirt.OccupiedError{Pool: "labctl-x", Path: "/p/x", Files: []string{"a", "b", "c", "d"}}
	assert.Equal(t, `making pool "labctl-x": folder "/p/x" holds what this pair did not put there: a, b, c, …`, e.Error())
}
