package provision

import (
	"context"
	"path/filepath"
	"time"

	"labctl/internal/journal"
	"labctl/internal/remote"
	"labctl/topology"
)

// Cluster is one pair: what should exist, and the means to make it so. Its
// verbs are Up, Reset, Down and Status. Reality (the hypervisor) holds the
// state; the folder holds keys, history, and what was about to be made.
type Cluster struct {
	// Name is the pair's name.
	Name string
	// Owner is what its objects are marked with (see Record).
	Owner string
	// Dir is the pair's own state folder.
	Dir string
	// Topology says what should exist.
	Topology topology.Topology
	// Image backs every node's disk.
	Image Image
	// HypervisorName is what the user asked for or "auto" found: "private" or a
	// libvirt URI. It is kept so that later calls find the same place.
	HypervisorName string
	Hypervisor     Hypervisor
	Accelerator    Accelerator
	// TSCKHz is the hypervisor's (see Facts).
	TSCKHz int
	// Connect opens a node's command channel.
	Connect Connect
	// Listen receives what happens; nil means nobody listens.
	Listen journal.Listener
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	// limitInTests replaces the time limit of every step.
	limitInTests time.Duration
}

// Connect opens the command channel of a node that is reached through dial,
// with the keys in the pair's folder.
type Connect func(ctx context.Context, dir string, n topology.Node, dial remote.Dial) (remote.Conn, error)

// Image is a golden image as domains use it: content-addressed, never written.
type Image struct {
	// ID is the hash of the image's inputs.
	ID string
	// Disk (qcow2), Kernel and Initrd are local files.
	Disk, Kernel, Initrd string
	// KernelRelease is what `uname -r` prints on a node.
	KernelRelease string
	// DiskBytes is the size of the disk, MemoryMiB the least memory that a node
	// boots with.
	DiskBytes int64
	MemoryMiB int
}

// LimitScale is what every time limit is multiplied with: limits are written
// for hardware acceleration, and emulation was measured 20 to 30 times slower
// for one program, 8 times for a whole kubeadm init (which also waits).
func (a Accelerator) LimitScale() int {
	if a == TCG {
		return 8
	}
	return 1
}

func (c *Cluster) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

func (c *Cluster) say(text string) {
	if c.Listen != nil {
		c.Listen(journal.Event{Type: journal.Progress, Time: c.now(), Text: text})
	}
}

func (c *Cluster) path(elem ...string) string {
	return filepath.Join(append([]string{c.Dir}, elem...)...)
}

// CheckpointName is the name of the paired snapshot that Up takes.
const CheckpointName = "ready"
