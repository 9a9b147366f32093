package capacity_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/provision/capacity"
)

func put(t *testing.T, root, path, content string) {
	t.Helper()
	path = filepath.Join(root, path)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

func TestSharing(t *testing.T) {
	t.Parallel()
	mib := 1 << 20 / os.Getpagesize() // pages
	for _, c := range []struct {
		name, run string
		pages     int
		want      capacity.Sharing
	}{
		{"a kernel without", "", 0, capacity.Sharing{}},
		{"off", "0\n", 0, capacity.Sharing{Known: true}},
		{"on, nothing found yet", "1\n", 0, capacity.Sharing{Known: true, On: true}},
		{"on", "1\n", 300 * mib, capacity.Sharing{Known: true, On: true, SavedMiB: 300}},
		{"off, what was shared is left so", "0\n", 2 * mib, capacity.Sharing{Known: true, SavedMiB: 2}},
		{"off, nothing is left shared", "2\n", 0, capacity.Sharing{Known: true}},
	} {
		root := t.TempDir()
		if c.run != "" {
			put(t, root, "/sys/kernel/mm/ksm/run", c.run)
			put(t, root, "/sys/kernel/mm/ksm/pages_sharing", strconv.Itoa(c.pages)+"\n")
		}
		assert.Equal(t, c.want, capacity.ReadSharing(root), c.name)
	}
}

func TestUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	assert.Zero(t, capacity.UsedMiB(filepath.Join(dir, "none")))
	put(t, dir, "a/b", string(make([]byte, 3<<20)))
	sparse, err := os.Create(filepath.Join(dir, "sparse"))
	require.NoError(t, err)
	require.NoError(t, sparse.Truncate(1<<30))
	require.NoError(t, sparse.Close())
	require.NoError(t, os.Symlink("/proc", filepath.Join(dir, "link")))
	assert.InDelta(t, 3, capacity.UsedMiB(dir), 1)
}

func TestExisting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	assert.Equal(t, dir, capacity.Existing(dir))
	assert.Equal(t, dir, capacity.Existing(filepath.Join(dir, "a/b/c")))
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	assert.Equal(t, dir, capacity.Existing(filepath.Join(file, "below")))
	free, err := capacity.FreeAt(filepath.Join(dir, "a/b"))
	require.NoError(t, err)
	assert.NotZero(t, free.Bytes)
}
