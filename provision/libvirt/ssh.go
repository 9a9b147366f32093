package libvirt

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"labctl/internal/remote"
)

// sshTarget is a daemon on another machine, and the way to what runs there.
// ~/.ssh/config is not read: the URI says all.
type sshTarget struct {
	host, port, user string
	socket           string // remote; empty means the usual places
	keyFile          string
	knownHosts       []string
	dial             remote.Dial // reaches the host

	// turn guards nodes, the client that streams to nodes share.
	turn  sync.Mutex
	nodes *ssh.Client
}

func newSSHTarget(u *url.URL, socket string, dial remote.Dial) (*sshTarget, error) {
	t := &sshTarget{dial: dial, host: u.Hostname(), port: u.Port(), user: u.User.Username(),
		socket: socket, keyFile: u.Query().Get("keyfile")}
	if t.host == "" {
		return nil, fmt.Errorf("hypervisor URI %q names no host", u)
	}
	if t.port == "" {
		t.port = "22"
	}
	if t.user == "" {
		me, err := user.Current()
		if err != nil {
			return nil, fmt.Errorf("finding the login name for %q: %w", u, err)
		}
		t.user = me.Username
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("finding known hosts for %q: %w", u, err)
	}
	t.knownHosts = []string{filepath.Join(home, ".ssh", "known_hosts"), "/etc/ssh/ssh_known_hosts"}
	if f := u.Query().Get("known_hosts"); f != "" {
		t.knownHosts = []string{f}
	}
	return t, nil
}

// connect logs in. Each session to the daemon has a login of its own, so that
// closing its TCP connection ends whatever hangs on it.
func (t *sshTarget) connect(ctx context.Context) (*ssh.Client, net.Conn, error) {
	address := net.JoinHostPort(t.host, t.port)
	check, algorithms, err := hostKeys(t.knownHosts, address)
	if err != nil {
		return nil, nil, err
	}
	auth, release, err := t.auth(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	tcp, err := t.dial(ctx, "tcp", address)
	if err != nil {
		return nil, nil, fmt.Errorf("connecting to the SSH host: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { tcp.Close() })
	conn, channels, requests, err := ssh.NewClientConn(tcp, address, &ssh.ClientConfig{
		User: t.user, Auth: auth, HostKeyCallback: check, HostKeyAlgorithms: algorithms,
	})
	if !stop() || err != nil {
		tcp.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, nil, fmt.Errorf("logging in to %s@%s: %w", t.user, address, explainLogin(t, err))
	}
	return ssh.NewClient(conn, channels, requests), tcp, nil
}

// auth offers the key of the URI, or else the agent's and the user's own. The
// agent's connection is open until release.
func (t *sshTarget) auth(ctx context.Context) (methods []ssh.AuthMethod, release func(), err error) {
	release = func() {}
	if t.keyFile != "" {
		signer, err := readKey(t.keyFile)
		if err != nil {
			return nil, nil, err
		}
		return []ssh.AuthMethod{ssh.PublicKeys(signer)}, release, nil
	}
	var own []ssh.Signer
	if home, err := os.UserHomeDir(); err == nil {
		for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
			// A key with a passphrase is the agent's business.
			if s, err := readKey(filepath.Join(home, ".ssh", name)); err == nil {
				own = append(own, s)
			}
		}
	}
	var held func() ([]ssh.Signer, error)
	if path := os.Getenv("SSH_AUTH_SOCK"); path != "" {
		var d net.Dialer
		if conn, err := d.DialContext(ctx, "unix", path); err == nil {
			release = func() { conn.Close() }
			held = agent.NewClient(conn).Signers
		}
	}
	// One callback: a server gives each method name a single try.
	return []ssh.AuthMethod{ssh.PublicKeysCallback(func() ([]ssh.Signer, error) {
		if held == nil {
			return own, nil
		}
		keys, err := held()
		if err != nil {
			return own, nil
		}
		return append(keys, own...), nil
	})}, release, nil
}

func readKey(path string) (ssh.Signer, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the SSH key: %w", err)
	}
	signer, err := ssh.ParsePrivateKey(content)
	if err != nil {
		return nil, fmt.Errorf("reading the SSH key %q: %w", path, err)
	}
	return signer, nil
}

// dialDaemon opens a stream to the daemon's socket on the SSH host.
func (t *sshTarget) dialDaemon(ctx context.Context) (net.Conn, error) {
	client, tcp, err := t.connect(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { tcp.Close() })
	defer stop()
	paths := systemSockets()
	if t.socket != "" {
		paths = []string{t.socket}
	}
	var errs []error
	for _, p := range paths {
		conn, err := client.DialContext(ctx, "unix", p)
		if err == nil {
			return &tunnel{Conn: conn, tcp: tcp}, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", p, err))
	}
	tcp.Close()
	return nil, &remoteSocketError{host: t.host, err: errors.Join(errs...)}
}

// dialNode opens a stream to a node through the SSH host.
func (t *sshTarget) dialNode(ctx context.Context, network, address string) (net.Conn, error) {
	client, fresh, err := t.nodeClient(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := client.DialContext(ctx, network, address)
	var refused *ssh.OpenChannelError
	if err != nil && !errors.As(err, &refused) && ctx.Err() == nil && !fresh {
		// The shared login had died unnoticed.
		t.forget(client)
		if client, _, err = t.nodeClient(ctx); err != nil {
			return nil, err
		}
		conn, err = client.DialContext(ctx, network, address)
	}
	if err != nil {
		return nil, err
	}
	return withDeadlines(conn), nil
}

func (t *sshTarget) nodeClient(ctx context.Context) (client *ssh.Client, fresh bool, err error) {
	t.turn.Lock()
	defer t.turn.Unlock()
	if t.nodes != nil {
		return t.nodes, false, nil
	}
	client, _, err = t.connect(ctx)
	if err != nil {
		return nil, false, err
	}
	t.nodes = client
	return client, true, nil
}

func (t *sshTarget) forget(client *ssh.Client) {
	t.turn.Lock()
	defer t.turn.Unlock()
	if t.nodes == client {
		t.nodes = nil
	}
	client.Close()
}

// close ends the login that node streams share.
func (t *sshTarget) close() error {
	t.turn.Lock()
	defer t.turn.Unlock()
	if t.nodes == nil {
		return nil
	}
	err := t.nodes.Close()
	t.nodes = nil
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// tunnel is a stream whose end takes its whole login with it, TCP first: a dead
// peer must not hold up the closing.
type tunnel struct {
	net.Conn
	tcp net.Conn
}

func (t *tunnel) Close() error { return t.tcp.Close() }
