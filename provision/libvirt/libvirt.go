// Package libvirt is the hypervisor behind a libvirt daemon: local, private to
// labctl, or on another machine. It is the only importer of go-libvirt.
//
// Three facts about that library and its daemon shape the package. Calls have
// no context, so each gets a deadline by closing the connection under it
// (session.go). A daemon that is stopped answers nothing at all, not even a
// goodbye, so nothing here waits for one. And an object's existence says
// nothing about whose it is, so every verb asks for our mark first (mark.go).
package libvirt

import (
	"context"
	"fmt"
	"net"
	"path"
	"regexp"
	"time"

	"labctl/internal/remote"
	"labctl/provision"
)

// Defaults of Options.
const (
	// DefaultURI is the system daemon of this machine.
	DefaultURI = "qemu:///system"
	// DefaultPoolRoot is where distributions let QEMU read and write disks.
	DefaultPoolRoot = "/var/lib/libvirt/images/labctl"
	// DefaultTimeout limits one call. The slowest quick call seen under
	// emulation, starting a domain, took 0.3 s on an idle machine.
	DefaultTimeout = 30 * time.Second
)

// Options say which daemon and how to reach what runs there.
type Options struct {
	// URI as libvirt spells it: qemu:///system, qemu+ssh://user@host/system,
	// qemu+tls://host/system or test:///default. The query may hold socket,
	// and keyfile (ssh) or pkipath (tls). Empty means DefaultURI.
	URI string
	// Socket is the local daemon's socket; empty means the usual places.
	Socket string
	// DialHost opens streams to the daemon's machine, for ssh and tls URIs; nil
	// means directly.
	DialHost remote.Dial
	// DialNode opens streams to nodes; nil means directly, or through the SSH
	// host of a qemu+ssh URI.
	DialNode remote.Dial
	// PoolRoot is the directory, on the daemon's machine, that holds one
	// directory pool for each owner; empty means DefaultPoolRoot.
	PoolRoot string
	// ReadsLocalFiles says that the daemon and QEMU can read this process's
	// files, under the path that Visible returns. Shared volumes with a Source
	// are then used in place.
	ReadsLocalFiles bool
	// Visible maps a local path to the daemon's path of the same file; nil
	// means they are the same.
	Visible func(string) string
	// Timeout limits one quick call, and how long the daemon may stay silent
	// during a slow one; 0 means DefaultTimeout.
	Timeout time.Duration
}

// Hypervisor is a connection to one daemon. A lost or timed-out connection is
// made again by the next call. Its methods may be called at once.
type Hypervisor struct {
	link     *link
	dialNode remote.Dial
	poolRoot string
	inPlace  func(string) string // nil: volumes are always uploaded
	driver   string              // "QEMU" or "TEST", as the daemon says
	version  uint64              // of the daemon: 9.0.0 is 9000000
	making   chan struct{}       // holds the right to make a pool
	closers  []func() error
}

var _ provision.Hypervisor = (*Hypervisor)(nil)

// Open connects to the daemon and checks that it also answers for networks and
// storage, which on hosts with one daemon for each are other daemons behind it.
func Open(ctx context.Context, o Options) (*Hypervisor, error) {
	if o.URI == "" {
		o.URI = DefaultURI
	}
	if o.PoolRoot == "" {
		o.PoolRoot = DefaultPoolRoot
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Visible == nil {
		o.Visible = func(p string) string { return p }
	}
	if o.DialHost == nil {
		o.DialHost = dialDirect
	}
	t, err := parseTarget(o.URI, o.Socket, o.DialHost)
	if err != nil {
		return nil, err
	}
	h := &Hypervisor{
		link:     newLink(t, o.Timeout),
		dialNode: o.DialNode,
		poolRoot: path.Clean(o.PoolRoot),
		making:   make(chan struct{}, 1),
	}
	if o.ReadsLocalFiles {
		h.inPlace = o.Visible
	}
	if h.dialNode == nil {
		h.dialNode = h.nodeDialer(t)
	}
	if err := h.greet(ctx); err != nil {
		return nil, joinClose(err, h.Close())
	}
	return h, nil
}

// Dial opens a stream to an address on the owner's network.
func (h *Hypervisor) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := h.dialNode(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("dialling %s: %w", address, err)
	}
	return conn, nil
}

// Close lets go of the connection; nothing that runs is stopped.
func (h *Hypervisor) Close() error {
	h.link.close()
	var err error
	for _, c := range h.closers {
		err = joinClose(err, c())
	}
	return err
}

// namePattern is what owners, volumes and domains may be called: names become
// file names on the daemon's machine.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$`)

func checkNames(names ...string) error {
	for _, n := range names {
		if !namePattern.MatchString(n) {
			return fmt.Errorf("name %q is not usable: letters, digits and . _ + - only, at most 128", n)
		}
	}
	return nil
}
