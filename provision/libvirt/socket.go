package libvirt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
)

// systemSockets are where a local system daemon listens, in the order tried:
// the one daemon for everything (or the proxy in front of several), then the
// QEMU daemon of hosts that have one for each driver and no proxy.
func systemSockets() []string {
	return []string{"/var/run/libvirt/libvirt-sock", "/var/run/libvirt/virtqemud-sock"}
}

// localDialer dials the daemon's socket, or the first usable one.
func localDialer(uri, socket string) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		paths := systemSockets()
		if socket != "" {
			paths = []string{socket}
		}
		var errs []error
		for _, p := range paths {
			var d net.Dialer
			conn, err := d.DialContext(ctx, "unix", p)
			if err == nil {
				return conn, nil
			}
			errs = append(errs, err)
		}
		return nil, &NoDaemonError{URI: uri, Sockets: paths, Err: errors.Join(errs...)}
	}
}

// NoDaemonError: no daemon's socket could be used.
type NoDaemonError struct {
	URI string
	// Sockets are the paths that were tried.
	Sockets []string
	Err     error
}

func (e *NoDaemonError) Error() string {
	return fmt.Sprintf("connecting to %q at %s: %s", e.URI, strings.Join(e.Sockets, ", "),
		strings.ReplaceAll(e.Err.Error(), "\n", "; "))
}

func (e *NoDaemonError) Unwrap() error { return e.Err }

// Hint tells a missing daemon from missing rights.
func (e *NoDaemonError) Hint() string {
	switch {
	case errors.Is(e.Err, fs.ErrPermission):
		return "this user may not use the socket: add it to group libvirt and log in again, or run as root"
	case errors.Is(e.Err, syscall.ECONNREFUSED):
		return "a socket is there and nobody listens: restart the daemon (systemctl restart libvirtd, or virtqemud)"
	case os.Geteuid() == 0:
		return "start a daemon (systemctl start libvirtd.socket, or virtqemud.socket virtnetworkd.socket virtstoraged.socket), or use the private hypervisor, which needs none"
	}
	return "start a daemon (systemctl start libvirtd.socket, or virtqemud.socket virtnetworkd.socket virtstoraged.socket)"
}
