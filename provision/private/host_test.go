package private_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/provision/private"
	"labctl/provision/private/privatetest"
)

// standIn is set in the child that runs on the stand-in for a host.
const standIn = "LABCTL_TEST_STAND_IN"

// TestHostUnchanged runs on a stand-in for a host: a network namespace and a
// mount namespace in which mounts propagate, as under systemd, where nobody
// else changes anything. It uses the very bridge name and addresses that the
// guests' network will have, so that whatever leaks is seen.
func TestHostUnchanged(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a real libvirtd: run without -short, as root, as `make test` does")
	}
	if os.Getenv(standIn) == "" {
		cmd := exec.CommandContext(t.Context(), "unshare", "--net", "--mount", "--propagation", "shared",
			os.Args[0], "-test.run=^TestHostUnchanged$", "-test.v", "-test.timeout=2m")
		cmd.Env = append(os.Environ(), standIn+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS: TestHostUnchanged", "the test ran")
		return
	}
	for _, line := range []string{
		"mount -t sysfs sysfs /sys",
		"ip link set lo up",
		"ip link add virbr-pair type bridge",
		"ip link set virbr-pair addrgenmode none", // an address of its own would be tentative first, and then not
		"ip address add 10.10.10.1/24 dev virbr-pair",
		"ip link set virbr-pair up",
		"ip route add 10.10.0.0/16 dev virbr-pair",
		"iptables -A FORWARD -s 10.10.10.0/24 -j DROP",
		"nft add table inet ours",
		"sysctl -q net.ipv4.ip_forward=0",
	} {
		argv := strings.Fields(line)
		out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
		require.NoError(t, err, "%s printed: %s", line, out)
	}
	images := t.TempDir()
	require.NoError(t, os.Chmod(images, 0o755))
	before := privatetest.Host(t)
	require.Contains(t, before, "10.10.10.1/24")

	t.Run("two at once", func(t *testing.T) {
		twins := [2]*private.Daemon{}
		for i := range twins {
			twins[i] = privatetest.Start(t, private.Options{ReadOnly: []string{images}})
			out, err := twins[i].Exec(t.Context(), "virsh", "-c", "qemu:///system", "net-create", network(t)).CombinedOutput()
			require.NoError(t, err, "%s", out)
		}
		for _, d := range twins {
			out, err := d.Exec(t.Context(), "ip", "-brief", "address", "show", "virbr-pair").CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Contains(t, string(out), "10.10.10.1/24")
			out, err = d.Exec(t.Context(), "iptables-save").CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Contains(t, string(out), "LIBVIRT")
			assert.NotContains(t, string(out), "-A FORWARD -s 10.10.10.0/24 -j DROP")
		}
		same(t, before, privatetest.Host(t), "while both run")

		require.NoError(t, private.Stop(t.Context(), twins[0].Dir))
		out, err := twins[1].Exec(t.Context(), "virsh", "-c", "qemu:///system", "net-list", "--name").CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Equal(t, "pair", strings.TrimSpace(string(out)), "the other one does not notice")
	})
	same(t, before, privatetest.Host(t), "afterwards")
}

// TestOneWithinAnother: a machine whose own libvirt is ours to end can have
// private hypervisors on it.
func TestOneWithinAnother(t *testing.T) {
	outer := privatetest.NewSystem(t)
	dir := filepath.Join(t.TempDir(), "inner")
	start := func() *private.Daemon {
		outer.Run("env", "LABCTL_TEST_ENSURE_IN="+dir, os.Args[0])
		inner, found, err := private.Find(dir)
		require.NoError(t, err)
		require.True(t, found)
		require.NotEqual(t, outer.PID, inner.PID)
		return inner
	}
	start()
	running, err := private.Running()
	require.NoError(t, err)
	assert.Subset(t, running, []string{outer.Dir, dir})

	require.NoError(t, private.Stop(t.Context(), dir))
	outer.Run("virsh", "-c", "qemu:///system", "list")

	start()
	require.NoError(t, private.Stop(t.Context(), outer.Dir))
	running, err = private.Running()
	require.NoError(t, err)
	assert.NotContains(t, running, dir, "it ends with its machine")
	require.NoError(t, private.Stop(t.Context(), dir))
	assert.NoDirExists(t, dir)
}

// TestUnderChroot: a mount namespace's own root is not the caller's there.
func TestUnderChroot(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a real libvirtd: run without -short, as root, as `make test` does")
	}
	root, err := os.MkdirTemp("", "labctl-root")
	require.NoError(t, err)
	// Not t.TempDir, which removes what it finds: the machine's files are below.
	t.Cleanup(func() { assert.NoError(t, os.Remove(root)) })
	out, err := exec.CommandContext(t.Context(), "unshare", "--mount", "sh", "-ec",
		`mount --rbind / "$0"; exec chroot "$0" "$@"`, root,
		os.Args[0], "-test.run=^(TestReadOnlyFolders|TestCrashedDaemonComesBackBesideItsGuests)$", "-test.v").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, name := range []string{"TestReadOnlyFolders", "TestCrashedDaemonComesBackBesideItsGuests"} {
		require.Contains(t, string(out), "--- PASS: "+name, "the test ran")
	}
}

// same compares two long texts and shows only where they part.
func same(t *testing.T, want, got, when string) {
	t.Helper()
	if want == got {
		return
	}
	wantLines, gotLines := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range wantLines {
		if !slices.Contains(gotLines, line) {
			t.Errorf("%s, gone: %s", when, line)
		}
	}
	for _, line := range gotLines {
		if !slices.Contains(wantLines, line) {
			t.Errorf("%s, new: %s", when, line)
		}
	}
	assert.Len(t, gotLines, len(wantLines), when)
	assert.Fail(t, "the host has changed", when)
}

func network(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "network.xml")
	require.NoError(t, os.WriteFile(path, []byte(`<network>
  <name>pair</name>
  <forward mode='nat'/>
  <bridge name='virbr-pair' stp='off' delay='0'/>
  <dns enable='no'/>
  <ip address='10.10.10.1' netmask='255.255.255.0'/>
</network>`), 0o600))
	return path
}
