package image

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// strangeTree makes a root file system with everything that a disk must carry,
// in one order or the other.
func strangeTree(t *testing.T, backwards bool) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.Chmod(root, 0o755))
	at := func(name string) string { return filepath.Join(root, name) }
	makers := []func() error{
		func() error { return os.WriteFile(at(`a "quoted" name`), []byte("1"), 0o600) },
		func() error { return os.Symlink(`/target "of" it`, at("link")) },
		func() error { return os.MkdirAll(at("usr/deep er/folder"), 0o755) },
		func() error { return os.WriteFile(at("program"), make([]byte, 300_000), 0o755) },
		func() error { return os.WriteFile(at("empty"), nil, 0o644) },
		func() error { return os.WriteFile(at("twice"), []byte("linked"), 0o644) },
	}
	if backwards {
		slices.Reverse(makers)
	}
	for _, make := range makers {
		require.NoError(t, make())
	}
	for i := range 300 {
		if backwards {
			i = 299 - i
		}
		require.NoError(t, os.WriteFile(at("usr/"+strings.Repeat("x", 1+i%200)+string(rune('a'+i/200))), nil, 0o644))
	}
	require.NoError(t, os.Link(at("twice"), at("usr/twice as well")))
	require.NoError(t, os.Chmod(at("program"), os.ModeSetuid|0o755))
	require.NoError(t, os.Chmod(at("usr/deep er"), os.ModeSticky|0o777))
	require.NoError(t, os.Chown(at("a \"quoted\" name"), 1000, 70000))
	require.NoError(t, unix.Lsetxattr(at("program"), "security.capability",
		[]byte("\x01\x00\x00\x02\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), 0))
	return root
}

func TestDiskHoldsWhatWasPutIn(t *testing.T) {
	if testing.Short() {
		t.Skip("makes file systems, as root: run without -short, as root, as `make test` does")
	}
	root, work := strangeTree(t, false), t.TempDir()
	require.NoError(t, oneTime(root, 1_000_000))
	disk := filepath.Join(work, diskFile)
	require.NoError(t, writeDisk(t.Context(), root, disk, "seed", 1_000_000, 64<<20))

	raw, back := filepath.Join(work, "back.raw"), t.TempDir()
	_, err := run(t.Context(), nil, "qemu-img", "convert", "-O", "raw", disk, raw)
	require.NoError(t, err)
	_, err = run(t.Context(), nil, "debugfs", "-R", "rdump / "+back, raw)
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(back, "lost+found")))
	want, err := takeManifest(root)
	require.NoError(t, err)
	got, err := takeManifest(back)
	require.NoError(t, err)
	// debugfs does not give these bits back; stat shows below that they are there.
	for i := range want {
		want[i].Mode = strings.NewReplacer("urwx", "-rwx", "dtrwx", "drwx").Replace(want[i].Mode)
	}
	assert.Empty(t, want.Diff(got))

	stat, err := run(t.Context(), nil, "debugfs", "-R", "stat /program", raw)
	require.NoError(t, err)
	assert.Contains(t, stat, "Mode:  04755")
	assert.Contains(t, stat, "security.capability (20)")
	assert.Contains(t, stat, "ctime: 0x000f4240:00000000")
	assert.Contains(t, stat, "crtime: 0x000f4240:00000000")
	folder, err := run(t.Context(), nil, "debugfs", "-R", `stat "/usr/deep er"`, raw)
	require.NoError(t, err)
	assert.Contains(t, folder, "Mode:  01777")
	twice, err := run(t.Context(), nil, "debugfs", "-R", "stat /twice", raw)
	require.NoError(t, err)
	assert.Contains(t, twice, "Links: 2")
}

func TestDiskDoesNotDependOnWhenAndInWhichOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("makes file systems, as root: run without -short, as root, as `make test` does")
	}
	var sums []string
	for _, backwards := range []bool{false, true} {
		root := strangeTree(t, backwards)
		require.NoError(t, oneTime(root, 1_000_000))
		// Another second, as inodes see it.
		require.NoError(t, pause(t.Context(), time.Second))
		disk := filepath.Join(t.TempDir(), diskFile)
		require.NoError(t, writeDisk(t.Context(), root, disk, "seed", 1_000_000, 64<<20))
		sum, err := fileSHA256(disk)
		require.NoError(t, err)
		sums = append(sums, sum)
	}
	assert.Equal(t, sums[0], sums[1])
}

func TestDiskRefusesWhatItCannotSay(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "two\nlines"), nil, 0o644))
	_, err := populate(root, t.TempDir())
	require.ErrorContains(t, err, `copying "/two\nlines"`)

	require.NoError(t, os.Remove(filepath.Join(root, "two\nlines")))
	require.NoError(t, unix.Mkfifo(filepath.Join(root, "pipe"), 0o644))
	_, err = populate(root, t.TempDir())
	require.ErrorContains(t, err, `copying "/pipe"`)
}

func TestDebugfsComplaintsAreErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a file system: run without -short, as root, as `make test` does")
	}
	dir := t.TempDir()
	raw := filepath.Join(dir, "raw")
	require.NoError(t, os.WriteFile(raw, nil, 0o644))
	require.NoError(t, os.Truncate(raw, 8<<20))
	_, err := run(t.Context(), nil, "mke2fs", "-q", "-F", raw)
	require.NoError(t, err)
	require.NoError(t, debugfs(t.Context(), nil, raw, dir, "mkdir a\n"))
	err = debugfs(t.Context(), nil, raw, dir, "write /nowhere/at/all b\nmkdir c\n")
	require.ErrorContains(t, err, "opening \"/nowhere/at/all\"")
}
