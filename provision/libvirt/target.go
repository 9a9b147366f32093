package libvirt

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"

	"labctl/internal/remote"
	"labctl/provision"
)

// target is where a URI leads: how to open a stream to the daemon, and which
// driver to ask it for once there.
type target struct {
	uri    string // as given, for messages
	driver string // as the daemon itself spells it, such as qemu:///system
	local  bool
	ssh    *sshTarget // set for qemu+ssh
	dial   func(context.Context) (net.Conn, error)
}

// parseTarget understands the URIs that Options names.
func parseTarget(uri, socket string, host remote.Dial) (*target, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return nil, fmt.Errorf("reading the hypervisor URI: %w", err)
	}
	scheme, transport, _ := strings.Cut(u.Scheme, "+")
	if transport == "" && u.Host != "" {
		transport = "tls" // as libvirt itself reads a URI with a host
	}
	if socket == "" {
		socket = u.Query().Get("socket")
	}
	t := &target{uri: uri, driver: (&url.URL{Scheme: scheme, Path: u.Path}).String()}
	// url.URL drops the empty authority that libvirt's URIs always have.
	t.driver = strings.Replace(t.driver, ":/", ":///", 1)
	t.driver = strings.Replace(t.driver, "://///", ":///", 1)
	if t.driver == "qemu:///session" {
		return nil, &sessionError{uri: uri}
	}
	if scheme != "qemu" && scheme != "test" {
		return nil, fmt.Errorf("hypervisor URI %q: %w: only qemu and test drivers", uri, provision.ErrUnsupported)
	}
	switch transport {
	case "", "unix":
		t.local = true
		t.dial = localDialer(uri, socket)
	case "ssh":
		t.ssh, err = newSSHTarget(u, socket, host)
		if err != nil {
			return nil, err
		}
		t.dial = t.ssh.dialDaemon
	case "tls":
		t.dial = tlsDialer(u, host)
	default:
		return nil, fmt.Errorf("hypervisor URI %q: %w: transport %q; known are unix, ssh and tls",
			uri, provision.ErrUnsupported, transport)
	}
	return t, nil
}

// sessionError refuses the unprivileged daemon.
type sessionError struct{ uri string }

func (e *sessionError) Error() string {
	return fmt.Sprintf("hypervisor URI %q: %v: an unprivileged daemon cannot make a bridge", e.uri, provision.ErrUnsupported)
}

func (e *sessionError) Unwrap() error { return provision.ErrUnsupported }

// Hint says what to use instead.
func (e *sessionError) Hint() string { return "use qemu:///system, or the private hypervisor as root" }
