package ssh

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"
)

// NewKey makes an ed25519 key pair for a login or a host: the private half as
// OpenSSH writes it, without a passphrase, and the public half as a line of
// authorized_keys without its end of line.
func NewKey(comment string) (private []byte, public string, err error) {
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, "", fmt.Errorf("making a key: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(priv, comment)
	if err != nil {
		return nil, "", fmt.Errorf("making a key: %w", err)
	}
	p, err := ssh.NewPublicKey(pub)
	if err != nil {
		return nil, "", fmt.Errorf("making a key: %w", err)
	}
	return pem.EncodeToMemory(block), line(p, comment), nil
}

// PublicKey returns the public half of a private key, as NewKey does.
func PublicKey(private []byte, comment string) (string, error) {
	signer, err := ssh.ParsePrivateKey(private)
	if err != nil {
		return "", fmt.Errorf("reading a private key: %w", err)
	}
	return line(signer.PublicKey(), comment), nil
}

// Fingerprint of a line of authorized_keys, such as "SHA256:…".
func Fingerprint(public string) (string, error) {
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(public))
	if err != nil {
		return "", fmt.Errorf("reading the public key %q: %w", public, err)
	}
	return ssh.FingerprintSHA256(key), nil
}

func line(key ssh.PublicKey, comment string) string {
	s := string(bytes.TrimSpace(ssh.MarshalAuthorizedKey(key)))
	if comment != "" {
		s += " " + comment
	}
	return s
}

// WriteKey writes a private key that others can not read: mode 0600, in a
// folder of mode 0700, which it makes if there is none. An existing key is
// never replaced: that is an fs.ErrExist.
func WriteKey(path string, private []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("writing key: %w", err)
	}
	if err := private700(dir); err != nil {
		return fmt.Errorf("writing key %q: %w", path, err)
	}
	temp, err := os.CreateTemp(dir, ".key-*") // of mode 0600
	if err != nil {
		return fmt.Errorf("writing key: %w", err)
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(private)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Link(temp.Name(), path) // whole or not at all, and never over another
	}
	if err != nil {
		return fmt.Errorf("writing key %q: %w", path, err)
	}
	return nil
}

// ReadKey reads a private key. One that others can read, or that lies in a
// folder that others can enter or write, is a *ModeError.
func ReadKey(path string) ([]byte, error) {
	if err := private700(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("reading key %q: %w", path, err)
	}
	return ReadUserKey(path)
}

// ReadUserKey is ReadKey for a key that someone else keeps, such as one in
// ~/.ssh: its own mode matters, its folder's does not.
func ReadUserKey(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = &ModeError{Path: path, Mode: info.Mode().Perm(), Want: 0o600}
	}
	if err != nil {
		return nil, fmt.Errorf("reading key %q: %w", path, err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading key: %w", err)
	}
	return b, nil
}

func private700(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return &ModeError{Path: dir, Mode: info.Mode().Perm(), Want: 0o700}
	}
	return nil
}

// ModeError is a private key, or its folder, that others can get at.
type ModeError struct {
	Path       string
	Mode, Want fs.FileMode
}

func (e *ModeError) Error() string {
	return fmt.Sprintf("mode of %q is %04o, others can get at the key", e.Path, e.Mode)
}

// Hint is the command that mends it.
func (e *ModeError) Hint() string {
	return fmt.Sprintf("chmod %04o %s; if others had access, make a new key", e.Want, Quote(e.Path))
}
