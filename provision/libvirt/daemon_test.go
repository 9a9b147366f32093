package libvirt_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/provision/libvirt"
)

// daemon is a libvirtd of the test's own: in a network namespace where no bridge
// can disturb anyone, and with empty state that nobody else sees.
type daemon struct {
	dir, socket string
	cmd         *exec.Cmd
}

// hide covers the places where libvirtd keeps state and finds networks to start
// by itself.
const hide = `set -e
for d in /run /var/lib/libvirt /var/cache/libvirt /var/log/libvirt /etc/libvirt; do
	[ -d $d ] && mount -t tmpfs tmpfs $d
done
mkdir -p /run/libvirt /var/lib/libvirt/dnsmasq
exec libvirtd --config "$1" --pid-file "$2"`

func startDaemon(t *testing.T) *daemon {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a libvirtd: run without -short, as root, as `make test` does")
	}
	// Not t.TempDir: a socket's path has at most 107 bytes.
	dir, err := os.MkdirTemp("", "lv")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.WriteFile(filepath.Join(dir, "libvirtd.conf"), fmt.Appendf(nil,
		"unix_sock_dir = %q\nauth_unix_rw = \"none\"\nlog_outputs = \"3:stderr\"\n", dir), 0o600))
	d := &daemon{dir: dir, socket: filepath.Join(dir, "libvirt-sock")}
	d.start(t)
	return d
}

// start starts the daemon, for the first time or again.
func (d *daemon) start(t *testing.T) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command("sh", "-c", hide, "sh", filepath.Join(d.dir, "libvirtd.conf"), filepath.Join(d.dir, "pid"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS}
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	d.cmd = cmd
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // a test may have done so already
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("libvirtd: %s", &out)
		}
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("unix", d.socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, 20*time.Second, 50*time.Millisecond)
}

// user is another client of the same driver.
func (d *daemon) user() user { return user{uri: "test+unix:///default?socket=" + d.socket} }

// open connects to the daemon's test driver, whose state lasts as long as
// somebody is connected.
func (d *daemon) open(t *testing.T, timeout time.Duration) *libvirt.Hypervisor {
	t.Helper()
	h, err := libvirt.Open(t.Context(), libvirt.Options{URI: "test:///default", Socket: d.socket, Timeout: timeout})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	return h
}
