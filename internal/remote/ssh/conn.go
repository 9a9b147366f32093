// Package ssh is a remote.Conn over SSH: pinned host keys, scripts that are
// sent as written and can be killed whole, and losses that are told from exit
// codes.
//
// Files: conn dials, alive notices a dead peer, session is one channel, script
// says what is sent, run and reap start and kill it, files put and get, key and
// config write what OpenSSH's own client reads, terminal is for people.
package ssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"labctl/internal/remote"
)

// Target is one SSH server and how to log in to it.
type Target struct {
	// Name of the node, for messages.
	Name    string
	Address netip.AddrPort
	User    string
	// Key is the private key in PEM form, without a passphrase.
	Key []byte
	// HostKey is the only host key that is accepted, as a line of
	// authorized_keys.
	HostKey string
	// KeepaliveEvery and KeepaliveLimit say how often the server is asked for a
	// sign of life and how long one may be missing; 0 means the defaults.
	KeepaliveEvery, KeepaliveLimit time.Duration
}

// The defaults of Target. A guest that is emulated on a loaded machine has been
// seen to need more than 10 s to answer; the limit is well above that. A
// connection that is dead counts as lost after 50 s at most.
const (
	KeepaliveEvery = 5 * time.Second
	KeepaliveLimit = 45 * time.Second
)

// Sessions is how many commands run at once on one connection; more wait their
// turn. OpenSSH's default is 10 sessions: one is kept for killing.
const Sessions = 9

// Conn is a connection to one node.
type Conn struct {
	target  Target
	client  *ssh.Client
	slots   chan struct{} // of Sessions
	reaping chan struct{} // the session that is kept for killing

	once  sync.Once
	gone  chan struct{} // closed when the connection has ended
	mu    sync.Mutex
	cause error
}

var _ remote.Conn = (*Conn)(nil)

// Dial connects and logs in. It takes as long as the context allows: a server
// that is still starting is the caller's to wait for. A server that shows
// another host key than the pinned one is a *HostKeyError, one that refuses the
// login key a *LoginError.
func Dial(ctx context.Context, t Target, dial remote.Dial) (*Conn, error) {
	c, err := connect(ctx, t, dial)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
			err = fmt.Errorf("%w (%w)", err, cause)
		}
		return nil, fmt.Errorf("connecting to %q at %s: %w", t.Name, t.Address, err)
	}
	return c, nil
}

func connect(ctx context.Context, t Target, dial remote.Dial) (*Conn, error) {
	if t.KeepaliveEvery == 0 {
		t.KeepaliveEvery = KeepaliveEvery
	}
	if t.KeepaliveLimit == 0 {
		t.KeepaliveLimit = KeepaliveLimit
	}
	signer, err := ssh.ParsePrivateKey(t.Key)
	if err != nil {
		return nil, fmt.Errorf("reading the login key: %w", err)
	}
	pin, err := newPin(t.HostKey)
	if err != nil {
		return nil, err
	}
	raw, err := dial(ctx, "tcp", t.Address.String())
	if err != nil {
		return nil, err
	}
	// The library knows no contexts; a closed socket is what ends a handshake.
	stop := context.AfterFunc(ctx, func() { raw.Close() })
	conn, channels, requests, err := ssh.NewClientConn(raw, t.Address.String(), &ssh.ClientConfig{
		User:              t.User,
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyCallback:   pin.check,
		HostKeyAlgorithms: pin.algorithms(),
	})
	if err == nil && !stop() {
		conn.Close()
		err = context.Cause(ctx)
	}
	if err != nil {
		stop()
		raw.Close()
		if strings.Contains(err.Error(), "unable to authenticate") {
			err = &LoginError{User: t.User, Key: ssh.FingerprintSHA256(signer.PublicKey())}
		}
		return nil, err
	}
	c := &Conn{
		target:  t,
		client:  ssh.NewClient(conn, channels, requests),
		slots:   make(chan struct{}, Sessions),
		reaping: make(chan struct{}, 1),
		gone:    make(chan struct{}),
	}
	go func() {
		c.end(c.client.Wait())
	}()
	go c.keepAlive()
	return c, nil
}

// Close ends the connection; commands still running on it are lost, and are not
// killed.
func (c *Conn) Close() error {
	c.end(net.ErrClosed)
	return nil
}

// Done is closed when the connection has ended, whoever ended it.
func (c *Conn) Done() <-chan struct{} { return c.gone }

// end closes the connection and keeps the first cause.
func (c *Conn) end(cause error) {
	c.once.Do(func() {
		if cause == nil {
			cause = errors.New("closed by the server")
		}
		c.mu.Lock()
		c.cause = cause
		c.mu.Unlock()
		close(c.gone)
		c.client.Close()
	})
}

// lost is the error of whoever was using the connection when it ended.
func (c *Conn) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Errorf("%w: %w", remote.ErrLost, c.cause)
}

// LoginError is a server that does not accept the login key.
type LoginError struct {
	User string
	// Key is the fingerprint of the key that was refused.
	Key string
}

func (e *LoginError) Error() string {
	return fmt.Sprintf("logging in as %q: key %s refused", e.User, e.Key)
}

// Hint says where to look.
func (e *LoginError) Hint() string {
	return fmt.Sprintf("the key's public half belongs in ~%s/.ssh/authorized_keys, in a folder that only %s can write", e.User, e.User)
}
