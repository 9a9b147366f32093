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
	socket string
	cmd    *exec.Cmd
	out    *bytes.Buffer
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
		t.Skip("starts a libvirtd")
	}
	// Not t.TempDir: a socket's path has at most 107 bytes.
	dir, err := os.MkdirTemp("", "lv")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	config := filepath.Join(dir, "libvirtd.conf")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil,
		"unix_sock_dir = %q\nauth_unix_rw = \"none\"\nlog_outputs = \"2:stderr\"\n", dir), 0o600))
	d := &daemon{socket: filepath.Join(dir, "libvirt-sock"), out: &bytes.Buffer{}}
	d.cmd = exec.Command("sh", "-c", hide, "sh", config, filepath.Join(dir, "pid"))
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS,
		Pdeathsig: syscall.SIGKILL}
	d.cmd.Stdout, d.cmd.Stderr = d.out, d.out
	require.NoError(t, d.cmd.Start())
	t.Cleanup(func() {
		_ = d.cmd.Process.Kill()
		_ = d.cmd.Wait()
		if t.Failed() {
			t.Logf("libvirtd: %s", d.out)
		}
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("unix", d.socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, 20*time.Second, 50*time.Millisecond)
	return d
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
