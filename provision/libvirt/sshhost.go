package libvirt

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// hostKeys returns the check of a host's key against known_hosts files, and the
// key algorithms to ask the host for: without them it may offer a key of a kind
// that the files do not hold, which looks like a changed key.
func hostKeys(files []string, address string) (ssh.HostKeyCallback, []string, error) {
	files = slices.Clone(files)
	files = slices.DeleteFunc(files, func(f string) bool {
		_, err := os.Stat(f)
		return errors.Is(err, fs.ErrNotExist)
	})
	check, err := knownhosts.New(files...)
	if err != nil {
		return nil, nil, fmt.Errorf("reading known hosts: %w", err)
	}
	var known *knownhosts.KeyError
	if err := check(address, &net.TCPAddr{IP: net.IPv4zero}, noKey{}); !errors.As(err, &known) {
		return nil, nil, fmt.Errorf("looking up known hosts of %s: %w", address, err)
	}
	if len(known.Want) == 0 {
		return nil, nil, &unknownHostError{address: address}
	}
	var algorithms []string
	for _, w := range known.Want {
		if w.Key.Type() == ssh.KeyAlgoRSA {
			algorithms = append(algorithms, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
			continue
		}
		algorithms = append(algorithms, w.Key.Type())
	}
	return check, algorithms, nil
}

// noKey is no host's key: asking about it makes knownhosts list the real ones.
type noKey struct{}

func (noKey) Type() string                        { return "none" }
func (noKey) Marshal() []byte                     { return []byte("none") }
func (noKey) Verify([]byte, *ssh.Signature) error { return errors.New("not a key") }

// unknownHostError: no known_hosts file holds the host.
type unknownHostError struct{ address string }

func (e *unknownHostError) Error() string {
	return fmt.Sprintf("SSH host %s is in no known_hosts file", e.address)
}

// Hint says how to pin it.
func (e *unknownHostError) Hint() string {
	host, port, _ := net.SplitHostPort(e.address)
	return fmt.Sprintf("log in by hand once (ssh -p %s %s) and compare the fingerprint with the host's own", port, host)
}

// changedHostError: the host shows another key than the one pinned.
type changedHostError struct {
	host string
	err  error
}

func (e *changedHostError) Error() string { return e.err.Error() }
func (e *changedHostError) Unwrap() error { return e.err }

// Hint says what it may mean.
func (e *changedHostError) Hint() string {
	return fmt.Sprintf("the host was installed anew, or someone is in between; if you know which, ssh-keygen -R %s", e.host)
}

// loginError: the host refused every key.
type loginError struct{ err error }

func (e *loginError) Error() string { return e.err.Error() }
func (e *loginError) Unwrap() error { return e.err }

// Hint says which keys were tried.
func (e *loginError) Hint() string {
	return "tried were the URI's keyfile, or else the agent's keys and ~/.ssh/id_*; ~/.ssh/config is not read"
}

func explainLogin(t *sshTarget, err error) error {
	var key *knownhosts.KeyError
	if errors.As(err, &key) {
		return &changedHostError{host: t.host, err: err}
	}
	var network net.Error
	if errors.As(err, &network) {
		return err
	}
	return &loginError{err: err}
}

// remoteSocketError: logged in, but the daemon's socket cannot be reached.
type remoteSocketError struct {
	host string
	err  error
}

func (e *remoteSocketError) Error() string {
	return fmt.Sprintf("reaching the libvirt socket on %s: %v", e.host, e.err)
}

func (e *remoteSocketError) Unwrap() error { return e.err }

// Hint says what the host must allow.
func (e *remoteSocketError) Hint() string {
	return "on the SSH host, a libvirt daemon must run, the user be in group libvirt, and sshd allow AllowStreamLocalForwarding and AllowTcpForwarding"
}
