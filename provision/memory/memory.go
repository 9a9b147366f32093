// Package memory is a hypervisor that holds everything in memory and runs
// nothing: the twin of provision/libvirt for tests.
//
// Every change it makes is an act with a name, such as `define domain a`. A test
// reads the list of acts, makes one of them fail, or lets the process die after
// any number of them and asks what the next process makes of the rest.
package memory

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"sync"

	"labctl/internal/remote"
	"labctl/provision"
)

// ErrDied is what every verb returns after DieAfter, until Revive.
var ErrDied = errors.New("the process died here")

// Hypervisor is the twin. The zero value is not usable; call New.
type Hypervisor struct {
	// Answer is what Facts returns; New fills it.
	Answer provision.Facts
	// DialNode is what Dial calls; nil means nothing can be reached.
	DialNode remote.Dial

	mu       sync.Mutex
	networks map[string]*network
	pools    map[string]*pool
	domains  map[string]*domain
	acts     []string
	fuse     int // acts left before death; -1 means it never comes
	dead     bool
	faults   map[string]error
}

var _ provision.Hypervisor = (*Hypervisor)(nil)

type network struct {
	spec   provision.Network
	active bool
}

type pool struct {
	owner   string
	volumes map[string]*volume
}

// holder is whose the pool is; nobody's if there is none.
func (p *pool) holder() string {
	if p == nil {
		return ""
	}
	return p.owner
}

type volume struct {
	spec    provision.Volume
	length  int64  // how much of the source has arrived
	content string // of small sources
	whole   bool
}

type domain struct {
	spec        provision.Domain
	state       provision.State
	console     []byte
	checkpoints map[string]int // by name; the number tells sets apart
}

// New returns a hypervisor with nothing on it.
func New() *Hypervisor {
	return &Hypervisor{
		Answer: provision.Facts{URI: "memory", Libvirt: "9.0.0", QEMU: "7.2.0",
			WhyNot: "nothing runs in memory", Checkpoints: true},
		networks: map[string]*network{},
		pools:    map[string]*pool{},
		domains:  map[string]*domain{},
		faults:   map[string]error{},
		fuse:     -1,
	}
}

// Facts returns Answer.
func (h *Hypervisor) Facts(ctx context.Context) (provision.Facts, error) {
	release, err := h.begin(ctx)
	if err != nil {
		return provision.Facts{}, err
	}
	defer release()
	return h.Answer, nil
}

// Dial calls DialNode.
func (h *Hypervisor) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	release, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	dial := h.DialNode
	release()
	if dial == nil {
		return nil, fmt.Errorf("dialling %s: nothing runs in memory", address)
	}
	return dial(ctx, network, address)
}

// Close does nothing: all stays as it is.
func (h *Hypervisor) Close() error { return nil }

// begin starts a verb; release ends it.
func (h *Hypervisor) begin(ctx context.Context) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h.mu.Lock()
	if h.dead {
		h.mu.Unlock()
		return nil, ErrDied
	}
	return h.mu.Unlock, nil
}

// act records a change and says whether it may be made.
func (h *Hypervisor) act(format string, args ...any) error {
	name := fmt.Sprintf(format, args...)
	if h.dead {
		return ErrDied
	}
	if h.fuse == 0 {
		h.dead = true
		return ErrDied
	}
	if err, ok := h.faults[name]; ok {
		delete(h.faults, name)
		return fmt.Errorf("%s: %w", name, err)
	}
	if h.fuse > 0 {
		h.fuse--
	}
	h.acts = append(h.acts, name)
	return nil
}

// Acts lists every change made so far, in order.
func (h *Hypervisor) Acts() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.acts)
}

// DieAfter lets n more changes happen; from the next one on, everything returns
// ErrDied.
func (h *Hypervisor) DieAfter(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fuse = n
}

// Revive is the next process: it finds what the dead one left.
func (h *Hypervisor) Revive() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dead, h.fuse = false, -1
}

// Fail makes the next act of this name fail, once. The names are those that
// Acts lists.
func (h *Hypervisor) Fail(act string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults[act] = err
}

func foreign(kind provision.Kind, name, holder string) error {
	return &provision.ForeignError{Kind: kind, Name: name, Holder: holder}
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$`)

func checkNames(names ...string) error {
	for _, n := range names {
		if !namePattern.MatchString(n) {
			return fmt.Errorf("name %q is not usable: letters, digits and . _ + - only, at most 128", n)
		}
	}
	return nil
}
