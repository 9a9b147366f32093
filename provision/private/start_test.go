package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stateDir returns a directory for a hypervisor, which is ended after the test.
func stateDir(t *testing.T, elems ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a real libvirtd: run without -short, as root, as `make test` does")
	}
	dir := filepath.Join(append([]string{t.TempDir()}, elems...)...)
	t.Cleanup(func() { stop(t, dir) })
	return dir
}

func stop(t *testing.T, dir string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	require.NoError(t, Stop(ctx, dir))
	left, err := descended(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func ensure(t *testing.T, dir string) *Daemon {
	t.Helper()
	d, err := Ensure(t.Context(), dir, Options{})
	require.NoError(t, err)
	return d
}

// virsh runs a virsh command from outside the namespaces.
func virsh(t *testing.T, d *Daemon, argv ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "virsh", append([]string{"-c", "qemu:///system?socket=" + d.Socket}, argv...)...).CombinedOutput()
	require.NoError(t, err, "virsh %v printed: %s", argv, out)
	return strings.TrimSpace(string(out))
}

func namespace(t *testing.T, d *Daemon) string {
	t.Helper()
	ns, err := os.Readlink(procPath(d.PID, "ns/net"))
	require.NoError(t, err)
	return ns
}

func TestLife(t *testing.T) {
	dir := stateDir(t, "a b")
	_, found, err := Find(dir)
	require.NoError(t, err)
	require.False(t, found)
	require.NoFileExists(t, dir, "Find makes nothing")

	began := time.Now()
	d := ensure(t, dir)
	t.Logf("answers after %s", time.Since(began))
	assert.Equal(t, "/var/lib/libvirt/images", d.Visible(filepath.Join(dir, "lib", "images")))

	again := ensure(t, dir)
	assert.Equal(t, d.PID, again.PID)
	found1, found, err := Find(dir)
	require.NoError(t, err)
	require.True(t, found)
	assert.Equal(t, d.PID, found1.PID)

	inside, err := d.Exec(t.Context(), "virsh", "-c", "qemu:///system", "uri").CombinedOutput()
	require.NoError(t, err, "%s", inside)
	assert.Equal(t, "qemu:///system", strings.TrimSpace(string(inside)))

	stop(t, dir)
	_, found, err = Find(dir)
	require.NoError(t, err)
	assert.False(t, found)
	assert.NoDirExists(t, dir)
	stop(t, dir)
	assert.NoDirExists(t, dir)
}

// What one guest sends to another passes no iptables in between, whatever other
// programs of the machine have loaded; and the machine's own bridges go on as they
// were.
func TestBridgesArePlain(t *testing.T) {
	const sysctl = "/proc/sys/net/bridge/bridge-nf-call-iptables"
	before, err := os.ReadFile(sysctl)
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("the kernel has no br_netfilter: load it (modprobe br_netfilter), and `make test` runs this, in CI too; TestPlainBridges needs no module")
	}
	require.NoError(t, err)
	d := ensure(t, stateDir(t))
	out, err := d.Exec(t.Context(), "cat", sysctl).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, "0\n", string(out))
	after, err := os.ReadFile(sysctl)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

func TestLongPath(t *testing.T) {
	dir := stateDir(t, strings.Repeat("deep", 20), strings.Repeat("deeper", 20))
	d := ensure(t, dir)
	assert.LessOrEqual(t, len(d.Socket), maxSocketPath)
	assert.Equal(t, "qemu:///system", strings.SplitN(virsh(t, d, "uri"), "?", 2)[0])
}

func TestGuestsAreUnprivileged(t *testing.T) {
	if qemuAccount().uid == 0 {
		t.Skip("this machine has no account for guests: it comes with the package libvirt-daemon-system, which `make test` installs")
	}
	dir := stateDir(t, "h")
	d := ensure(t, dir)
	virsh(t, d, "net-create", document(t, network))
	virsh(t, d, "create", document(t, fmt.Sprintf(guest, "g")))
	members, err := owned(dir)
	require.NoError(t, err)
	p, ok := oldest(members, "qemu-system-x86_64")
	require.True(t, ok, "%v", members)
	status, err := os.ReadFile(procPath(p.pid, "status"))
	require.NoError(t, err)
	assert.Contains(t, string(status), fmt.Sprintf("Uid:\t%d\t", qemuAccount().uid))
	assert.Contains(t, string(status), "CapEff:\t0000000000000000")
}
