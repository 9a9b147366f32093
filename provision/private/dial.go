package private

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os/exec"
)

// Dial opens a connection from within the network namespace. The connection
// stays inside when the call returns; the caller's own namespace never changes.
// Only literal addresses are dialled: a name would be looked up, and its
// addresses tried, on threads that are elsewhere.
func (d *Daemon) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if _, err := netip.ParseAddrPort(address); err != nil {
		return nil, fmt.Errorf("dialling %q in the private namespace: %w", address, err)
	}
	var conn net.Conn
	err := onThread(func() error {
		if err := d.inside.enterNetwork(); err != nil {
			return err
		}
		var err error
		conn, err = (&net.Dialer{FallbackDelay: -1}).DialContext(ctx, network, address)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("dialling %q in the private namespace: %w", address, err)
	}
	return conn, nil
}

// Exec prepares a command in both namespaces. It sees this libvirtd as the
// machine's own at qemu:///system, and a /run of its own. It starts in /. Stop
// ends what still runs of it.
//
// The command has the namespaces open as ExtraFiles; append to those.
func (d *Daemon) Exec(ctx context.Context, argv ...string) *exec.Cmd {
	namespaces := []string{"--net=/proc/self/fd/3", "--mount=/proc/self/fd/4", "--root=/proc/self/fd/5", "--wd=/proc/self/fd/5", "--"}
	cmd := exec.CommandContext(ctx, "nsenter", append(namespaces, argv...)...)
	cmd.ExtraFiles = append(cmd.ExtraFiles, d.inside.net, d.inside.mnt, d.inside.root)
	return cmd
}
