package ssh

import (
	"bytes"
	"fmt"
	"net"

	"golang.org/x/crypto/ssh"
)

// HostKeyError is a server that shows another host key than the pinned one:
// another machine has the address, or the machine was made anew.
type HostKeyError struct {
	Address string
	// Pinned and Shown are fingerprints, such as "SHA256:…".
	Pinned, Shown string
}

func (e *HostKeyError) Error() string {
	return fmt.Sprintf("host key of %s is %s, pinned is %s", e.Address, e.Shown, e.Pinned)
}

// Hint says what it can mean.
func (e *HostKeyError) Hint() string {
	return "another machine answers at this address, or this one was made anew by someone else; take down the pair and bring it up again, or correct the host key in the topology, whose file is a new one if hosts were made anew"
}

// pin is the one key that a server may show.
type pin struct{ key ssh.PublicKey }

func newPin(line string) (pin, error) {
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return pin{}, fmt.Errorf("reading the pinned host key %q: %w", line, err)
	}
	return pin{key}, nil
}

func (p pin) check(_ string, address net.Addr, shown ssh.PublicKey) error {
	if bytes.Equal(shown.Marshal(), p.key.Marshal()) {
		return nil
	}
	return &HostKeyError{
		Address: address.String(),
		Pinned:  ssh.FingerprintSHA256(p.key),
		Shown:   ssh.FingerprintSHA256(shown),
	}
}

// algorithms makes a server that has keys of several types show the type that
// is pinned.
func (p pin) algorithms() []string {
	if t := p.key.Type(); t != ssh.KeyAlgoRSA {
		return []string{t}
	}
	return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
}
