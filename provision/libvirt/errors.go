package libvirt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	golibvirt "github.com/digitalocean/go-libvirt"

	"labctl/provision"
)

// Error is what the daemon answered. It is provision.ErrNotFound for every
// code that says so, whatever the kind of object, and provision.ErrUnsupported
// where the daemon says it cannot.
type Error struct {
	// Code is libvirt's virErrorNumber.
	Code    uint32
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (libvirt code %d)", e.Message, e.Code) }

// Is makes errors.Is find the meaning of a code.
func (e *Error) Is(target error) bool {
	switch target {
	case provision.ErrNotFound:
		return hasCode(e, golibvirt.ErrNoDomain, golibvirt.ErrNoNetwork, golibvirt.ErrNoStoragePool,
			golibvirt.ErrNoStorageVol, golibvirt.ErrNoDomainSnapshot, golibvirt.ErrNoDomainMetadata,
			golibvirt.ErrNoNetworkMetadata)
	case provision.ErrUnsupported:
		return hasCode(e, golibvirt.ErrNoSupport, golibvirt.ErrConfigUnsupported, golibvirt.ErrOperationUnsupported)
	}
	return false
}

// Hint names the remedy of the few answers that have an obvious one.
func (e *Error) Hint() string {
	for _, h := range []struct{ text, hint string }{
		{"already in use by interface", "another interface has this network's addresses: take the other one down, or give the topology another network"},
		{"bridge name", "another network uses the bridge name: remove it (virsh net-list --all), or use another name"},
		{"Storage source conflict", "another pool uses the directory: remove it (virsh pool-list --all --details), or use another pool root"},
		{"Permission denied", "QEMU may not open the file: check the mode of each directory above it, and AppArmor or SELinux messages in the kernel log"},
		{"Cannot access storage file", "a disk is missing: take the pair down and up again"},
		{"write lock", "another QEMU process has the disk open"},
		{"dnsmasq", "make the directory /var/lib/libvirt/dnsmasq"},
	} {
		if strings.Contains(e.Message, h.text) {
			return h.hint
		}
	}
	if hasCode(e, golibvirt.ErrAuthFailed, golibvirt.ErrAuthCancelled, golibvirt.ErrAuthUnavailable) {
		return "the daemon refused this user: add it to group libvirt and log in again, or run as root"
	}
	return ""
}

// asLibvirt finds the daemon's answer in an error of the library.
func asLibvirt(err error) *Error {
	var e golibvirt.Error
	if errors.As(err, &e) {
		return &Error{Code: e.Code, Message: e.Message}
	}
	if errors.Is(err, golibvirt.ErrUnsupported) {
		return &Error{Code: uint32(golibvirt.ErrNoSupport), Message: "the daemon is too old for this call"}
	}
	return nil
}

// hasCode says whether the daemon answered with one of these codes.
func hasCode(err error, codes ...golibvirt.ErrorNumber) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(codes, golibvirt.ErrorNumber(e.Code))
}

// raced says that the object changed between our look and our act, or that
// someone else was faster: look again and compare.
func raced(err error) bool {
	return hasCode(err, golibvirt.ErrOperationInvalid, golibvirt.ErrOperationFailed, golibvirt.ErrStorageVolExist)
}

func notFound(err error) bool { return errors.Is(err, provision.ErrNotFound) }

// SilentError: the daemon took the connection and did not answer in time.
type SilentError struct {
	URI   string
	After time.Duration
}

func (e *SilentError) Error() string {
	return fmt.Sprintf("no answer from %q within %s", e.URI, e.After)
}

// Is makes it a deadline error too.
func (e *SilentError) Is(target error) bool { return target == context.DeadlineExceeded }

// Hint says where to look.
func (e *SilentError) Hint() string {
	return fmt.Sprintf("the daemon is stopped or stuck: try `virsh -c %s list`, then restart it; guests keep running", e.URI)
}

// LostError: the connection to the daemon ended during a call, and nobody
// knows whether the call was carried out. All verbs may simply be repeated.
type LostError struct {
	URI string
	Err error
}

func (e *LostError) Error() string { return fmt.Sprintf("connection to %q lost: %v", e.URI, e.Err) }

func (e *LostError) Unwrap() error { return e.Err }

// Hint says where to look.
func (e *LostError) Hint() string {
	return "the daemon ended or was restarted: look at its log, then repeat the command"
}

// explainOpen words an error of connecting.
func explainOpen(uri string, err error) error {
	if e := asLibvirt(err); e != nil {
		err = e
	}
	return fmt.Errorf("connecting to %q: %w", uri, err)
}

// joinClose adds the error of cleaning up to the one that caused it.
func joinClose(err, closing error) error {
	if closing == nil {
		return err
	}
	return errors.Join(err, closing)
}
