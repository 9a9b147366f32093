package provision

import (
	"context"
	"errors"
	"net/netip"
	"os"

	"labctl/internal/remote"
	"labctl/internal/remote/ssh"
	"labctl/topology"
)

// ConnectSSH is the Connect of real nodes: it logs in with the pair's key, or
// with an existing host's own, and accepts the pinned host key alone.
func ConnectSSH(ctx context.Context, dir string, n topology.Node, dial remote.Dial) (remote.Conn, error) {
	target, err := SSHTarget(dir, n)
	if err != nil {
		return nil, err
	}
	return ssh.Dial(ctx, target, dial)
}

// SSHTarget says where a node's SSH server is and how to log in to it.
func SSHTarget(dir string, n topology.Node) (ssh.Target, error) {
	read, keyFile := ssh.ReadUserKey, n.KeyFile
	if keyFile == "" {
		read, keyFile = ssh.ReadKey, LoginKeyFile(dir)
	}
	key, err := read(keyFile)
	if err != nil {
		return ssh.Target{}, err
	}
	hostKey, err := HostKey(dir, n)
	if err != nil {
		return ssh.Target{}, err
	}
	return ssh.Target{
		Name: n.Name, Address: netip.AddrPortFrom(n.Address, uint16(n.Port)), User: n.User, Key: key, HostKey: hostKey,
	}, nil
}

// isFinal tells the errors that waiting does not mend.
func isFinal(err error) bool {
	var hostKey *ssh.HostKeyError
	var mode *ssh.ModeError
	return errors.As(err, &hostKey) || errors.As(err, &mode) || errors.Is(err, ErrForeign) || errors.Is(err, os.ErrPermission)
}
