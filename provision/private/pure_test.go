package private

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestMarks(t *testing.T) {
	const root = "1 0 254:0 / / rw - ext4 /dev/vda rw\n"
	tests := []struct {
		name      string
		mounts    string
		innermost string
		all       []string
	}{
		{name: "host", mounts: root + "2 1 0:5 / /run rw - tmpfs tmpfs rw\n"},
		{
			name:      "ours",
			mounts:    root + "2 1 0:5 / /run rw - tmpfs tmpfs rw\n3 2 0:6 / /run rw - tmpfs labctl:/a rw\n4 3 254:0 /a/run /run/libvirt rw - ext4 /dev/vda rw\n",
			innermost: "/a", all: []string{"/a"},
		},
		{
			name:      "blanks and optional fields",
			mounts:    root + `3 1 0:6 / /run rw shared:1 master:2 - tmpfs labctl:/a\040b\134c rw` + "\n",
			innermost: `/a b\c`, all: []string{`/a b\c`},
		},
		{
			name:      "one within another",
			mounts:    root + "3 1 0:6 / /run rw - tmpfs labctl:/a rw\n4 3 0:7 / /run rw - tmpfs labctl:/b rw\n",
			innermost: "/b", all: []string{"/a", "/b"},
		},
		{
			name:   "ours, covered by someone else's",
			mounts: root + "3 1 0:6 / /run rw - tmpfs labctl:/a rw\n4 3 0:7 / /run rw - tmpfs tmpfs rw\n",
			all:    []string{"/a"},
		},
		{name: "the mark elsewhere", mounts: root + "3 1 0:6 / /mnt rw - tmpfs labctl:/a rw\n"},
		{name: "the mark on a disk", mounts: root + "3 1 0:6 / /run rw - ext4 labctl:/a rw\n"},
		{name: "rubbish", mounts: "rubbish\n1 x - y z\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			innermost, all := marks(parseMounts(tt.mounts))
			assert.Equal(t, tt.innermost, innermost)
			assert.Equal(t, tt.all, all)
		})
	}
}

func TestOldestIsNotAChildBeforeItsExec(t *testing.T) {
	all := []process{{9, 200, libvirtd}, {7, 100, libvirtd}, {3, 50, "tini"}, {8, 100, libvirtd}}
	p, ok := oldest(all, libvirtd)
	assert.True(t, ok)
	assert.Equal(t, 7, p.pid)
	_, ok = oldest(all, virtlogd)
	assert.False(t, ok)
}

func TestMayUse(t *testing.T) {
	a := account{uid: 10, gid: 20, groups: []int{20, 30}}
	tests := []struct {
		uid, gid, mode uint32
		want           bool
	}{
		{0, 0, 0o600, false},
		{0, 0, 0o666, true},
		{0, 30, 0o660, true},
		{0, 20, 0o640, false},
		{0, 40, 0o660, false},
		{10, 0, 0o600, true},
		{10, 20, 0o066, false},
	}
	for _, tt := range tests {
		st := unix.Stat_t{Uid: tt.uid, Gid: tt.gid, Mode: unix.S_IFCHR | tt.mode}
		assert.Equal(t, tt.want, a.mayUse(st), "%d:%d %o", tt.uid, tt.gid, tt.mode)
	}
	assert.True(t, account{}.mayUse(unix.Stat_t{Uid: 5}), "root")
}

func TestCanonicalResolvesWhatExists(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "link")))
	got, err := canonical(filepath.Join(dir, "link", "not", "yet"))
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "real", "not", "yet"), got)
}

func TestVisibleAndLocal(t *testing.T) {
	d := &Daemon{Dir: "/state/pair", shared: map[string]bool{sharedName("/cache/images"): true}}
	inCache := insideShared + "/" + sharedName("/cache/images")
	for path, want := range map[string]string{
		"/state/pair/lib/images/a.qcow2": "/var/lib/libvirt/images/a.qcow2",
		"/state/pair/log":                "/var/log/libvirt",
		"/state/pair/library/x":          "/state/pair/library/x",
		"/cache/images/x/disk.qcow2":     inCache + "/x/disk.qcow2",
		"/cache/images":                  inCache,
		"/cache/images2/disk.qcow2":      "/cache/images2/disk.qcow2",
		"/elsewhere":                     "/elsewhere",
	} {
		assert.Equal(t, want, d.Visible(path), path)
	}
	for path, want := range map[string]string{
		"/var/lib/libvirt/images/a.qcow2": "/state/pair/lib/images/a.qcow2",
		"/var/log/libvirt/qemu/a.log":     "/state/pair/log/qemu/a.log",
		"/var/lib/libvirtd/x":             "/var/lib/libvirtd/x",
	} {
		assert.Equal(t, want, d.Local(path), path)
	}
}

func TestMissingErrorHintNamesEachPackageOnce(t *testing.T) {
	err := &MissingError{Problems: []Problem{
		{What: "libvirtd is not installed", Mend: "apt-get install libvirt-daemon-system"},
		{What: "virtlogd is not installed", Mend: "apt-get install libvirt-daemon-system"},
		{What: "dnsmasq is not installed", Mend: "apt-get install dnsmasq-base"},
	}}
	assert.Equal(t, "apt-get install libvirt-daemon-system && apt-get install dnsmasq-base", err.Hint())
	assert.True(t, strings.HasPrefix(err.Error(), "starting a private hypervisor: libvirtd is not installed; "))
}

// What is there is turned off, and nothing is made.
func TestPlainBridges(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, plainBridges(dir), "a kernel without the module")
	require.NoError(t, plainBridges(filepath.Join(dir, "none")))
	for _, name := range []string{"bridge-nf-call-iptables", "bridge-nf-call-arptables", "bridge-nf-filter-vlan-tagged"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("1\n"), 0o600))
	}
	require.NoError(t, plainBridges(dir))
	got := map[string]string{}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files {
		content, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		got[f.Name()] = string(content)
	}
	assert.Equal(t, map[string]string{
		"bridge-nf-call-iptables": "0\n", "bridge-nf-call-arptables": "0\n", "bridge-nf-filter-vlan-tagged": "1\n",
	}, got)

	require.NoError(t, os.Mkdir(filepath.Join(dir, "bridge-nf-call-ip6tables"), 0o700))
	assert.ErrorContains(t, plainBridges(dir), `turning sysctl "bridge-nf-call-ip6tables" off in the private namespace: `)
}
