package provision

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"labctl/internal/remote/ssh"
	"labctl/topology"
)

// Key is one SSH key pair: the private half in OpenSSH's format, the public one
// as a line of authorized_keys without a comment.
type Key struct {
	Private []byte
	Public  string
}

// Keys are a pair's SSH keys. They live as long as the pair.
type Keys struct {
	// Login is labctl's own, Internal the one nodes use among themselves.
	Login, Internal Key
	// Host keys by node name, pinned everywhere.
	Host map[string]Key
}

// LoginKeyFile is where a pair's folder keeps the private login key.
func LoginKeyFile(dir string) string { return filepath.Join(dir, "keys", "login") }

// HostKeyFile is where a pair's folder keeps a node's private host key.
func HostKeyFile(dir, node string) string { return filepath.Join(dir, "keys", "host-"+node) }

// ensureKeys reads the pair's keys, making those that do not exist.
func (c *Cluster) ensureKeys() (Keys, error) {
	k := Keys{Host: map[string]Key{}}
	var err error
	if k.Login, err = ensureKey(LoginKeyFile(c.Dir)); err != nil {
		return Keys{}, err
	}
	if k.Internal, err = ensureKey(c.path("keys", "internal")); err != nil {
		return Keys{}, err
	}
	for _, n := range c.Topology.Machines() {
		if k.Host[n.Name], err = ensureKey(HostKeyFile(c.Dir, n.Name)); err != nil {
			return Keys{}, err
		}
	}
	return k, nil
}

// HostKey returns the pinned public host key of a node.
func HostKey(dir string, n topology.Node) (string, error) {
	if n.HostKey != "" {
		return n.HostKey, nil
	}
	private, err := ssh.ReadKey(HostKeyFile(dir, n.Name))
	if err != nil {
		return "", err
	}
	return ssh.PublicKey(private, "")
}

func ensureKey(path string) (Key, error) {
	private, err := ssh.ReadKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKey(path)
	}
	if err != nil {
		return Key{}, err
	}
	public, err := ssh.PublicKey(private, "")
	return Key{Private: private, Public: public}, err
}

func makeKey(path string) (Key, error) {
	private, public, err := ssh.NewKey("")
	if err != nil {
		return Key{}, err
	}
	return Key{Private: private, Public: public}, ssh.WriteKey(path, private)
}

// newToken makes a bootstrap token in kubeadm's format: six characters, a dot,
// sixteen characters, all of [a-z0-9].
func newToken() (string, error) {
	const alphabet = "abcdefghijklmnopqrstuvwxyz012345" // 32 letters: no bias
	random := make([]byte, 22)
	if _, err := rand.Read(random); err != nil {
		return "", fmt.Errorf("making bootstrap token: %w", err)
	}
	for i := range random {
		random[i] = alphabet[random[i]%32]
	}
	return string(random[:6]) + "." + string(random[6:]), nil
}
