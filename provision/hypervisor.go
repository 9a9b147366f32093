package provision

import (
	"context"
	"errors"
	"net"
	"net/netip"
)

// Hypervisor is where domains run. Every verb is idempotent: it looks, compares
// with what is wanted, acts only on a difference, and refuses to touch an
// object that does not carry the owner's mark. Every verb ends when its context
// does, whatever the daemon behind it is doing.
//
// The real one is provision/libvirt, its in-memory twin provision/memory; the
// suite in provision/hypervisortest holds both to the same words.
type Hypervisor interface {
	// Facts tells versions, accelerators and limits.
	Facts(ctx context.Context) (Facts, error)
	// Objects lists what carries the owner's mark, in the order in which it can
	// be removed. An owner with nothing has an empty list. Volumes are listed if
	// their files are there.
	Objects(ctx context.Context, owner string) ([]Object, error)
	// Owners lists every owner that has an object here, sorted, each once.
	Owners(ctx context.Context) ([]string, error)
	// EnsureNetwork makes the network exist and be active. ErrDiffers if it has
	// other addresses, another MTU or another bridge.
	EnsureNetwork(ctx context.Context, n Network) error
	// EnsureVolume makes the volume exist with its content whole, and returns
	// the path under which domains find it. A volume that was left half-filled
	// is made again. One of another format, capacity or backing file, or with
	// other content than a Source of at most ComparedSource bytes, is
	// ErrDiffers.
	EnsureVolume(ctx context.Context, v Volume) (path string, err error)
	// EnsureDomain makes the domain exist and run. A domain that exists is not
	// changed; one that is paused is resumed. ErrDiffers if it has another UUID
	// or fingerprint.
	EnsureDomain(ctx context.Context, d Domain) error
	// DomainState tells what a domain is doing; ErrNotFound if there is none.
	DomainState(ctx context.Context, name string) (State, error)
	// Checkpoint takes a snapshot (disks and memory) of all these running
	// domains at one moment, under one name, and leaves them running. It is
	// complete or not there. An existing checkpoint of that name is replaced
	// only when complete.
	Checkpoint(ctx context.Context, owner, name string, domains []string) error
	// Revert puts all these domains back to the checkpoint, running. No domain
	// runs until all are back. ErrNotFound if they have no such checkpoint in
	// common. After any other error they may be paused or off.
	Revert(ctx context.Context, owner, name string, domains []string) error
	// Remove deletes one object, whatever state it is in; removing what is gone
	// is no error. ErrForeign if it does not carry its owner's mark.
	Remove(ctx context.Context, o Object) error
	// Console returns the last bytes that a domain wrote to its serial port, at
	// most limit.
	Console(ctx context.Context, domain string, limit int) ([]byte, error)
	// Dial opens a stream to an address on the owner's network. The stream has
	// deadlines.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// Close lets go of the connection; nothing that runs is stopped.
	Close() error
}

// Errors that callers branch on. Adapters wrap them.
var (
	// ErrNotFound: the object does not exist.
	ErrNotFound = errors.New("not found")
	// ErrForeign: an object has the name we need and not our mark.
	ErrForeign = errors.New("belongs to someone else")
	// ErrDiffers: an object of ours exists and is not what is asked for now, and
	// changing it would lose what it holds.
	ErrDiffers = errors.New("exists and differs")
	// ErrUnsupported: this hypervisor cannot do that; the error says since which
	// version it could.
	ErrUnsupported = errors.New("not supported by this hypervisor")
)

// Accelerator is how guest code runs.
type Accelerator string

// The accelerators.
const (
	KVM Accelerator = "kvm" // on the CPU
	TCG Accelerator = "tcg" // translated by QEMU: 20 to 30 times slower
)

// ComparedSource is the most, in bytes, that a Source may have for its content
// to be compared with that of the volume. The name of a volume with a larger one
// should change with its content.
const ComparedSource = 1 << 20

// Facts about a hypervisor.
type Facts struct {
	// URI as libvirt spells it, or "memory".
	URI string
	// Libvirt and QEMU versions, such as "9.0.0".
	Libvirt, QEMU string
	// KVM says whether the hypervisor offers hardware acceleration, WhyNot the
	// reason if it does not.
	KVM    bool
	WhyNot string
	// Checkpoints says whether Checkpoint and Revert work here,
	// WhyNoCheckpoints the reason if they do not.
	Checkpoints      bool
	WhyNoCheckpoints string
	// TSCKHz is how fast the time stamp counter of the machine ticks, in kHz; 0
	// if that is not known. Guests of QEMU's emulation see that very counter.
	TSCKHz int
}

// Kind of an object that a hypervisor holds.
type Kind string

// The kinds, in the order in which they are removed.
const (
	KindDomain  Kind = "domain" // with its checkpoints
	KindVolume  Kind = "volume"
	KindPool    Kind = "pool"
	KindNetwork Kind = "network"
)

// Object is something that a hypervisor holds for an owner.
type Object struct {
	Kind  Kind
	Name  string
	Owner string
	// Pool is the pool of a volume.
	Pool string
}

// Network is a NAT network of one owner, without DHCP and DNS.
type Network struct {
	Owner   string
	Name    string
	CIDR    netip.Prefix
	Gateway netip.Addr
	MTU     int
	// Bridge is the host interface, at most 15 bytes.
	Bridge string
}

// Volume is one disk or file in the owner's pool.
type Volume struct {
	Owner string
	Name  string
	// Format is "qcow2" or "raw".
	Format string
	// Capacity in bytes; 0 means that of Source or Backing. Of volumes with a
	// Source, only raw ones can be made larger than it.
	Capacity uint64
	// Backing is the path, as EnsureVolume returned it, of the qcow2 file that
	// this volume is an overlay of; empty if none.
	Backing string
	// Source is a local file that fills the volume; empty means an empty volume.
	Source string
	// Shared volumes are never written by a domain. A hypervisor that can read
	// Source itself may use it in place.
	Shared bool
}

// Domain is one virtual machine with direct kernel boot.
type Domain struct {
	Owner string
	Name  string
	// Hostname is the guest's own name.
	Hostname string
	// UUID and MAC are derived from owner and node: a second define is the same
	// domain.
	UUID string
	MAC  string
	// Fingerprint of the topology that asked for it, kept in the metadata.
	Fingerprint string
	Accelerator Accelerator
	VCPUs       int
	MemoryMiB   int
	// Kernel and Initrd are paths as EnsureVolume returned them.
	Kernel, Initrd string
	// Cmdline is the kernel's command line.
	Cmdline string
	// Disk is the node's writable qcow2 overlay with its Backing file, Seed the
	// read-only raw disk with what makes this node itself.
	Disk, Backing, Seed string
	Network             string
}

// State of a domain.
type State string

// The states that matter here; others are reported in libvirt's own word.
const (
	Running State = "running"
	Paused  State = "paused"
	Off     State = "off"
	Crashed State = "crashed"
)
