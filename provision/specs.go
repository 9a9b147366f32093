package provision

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"labctl/topology"
)

// Specs are the objects that a pair consists of, computed from the topology
// alone: `up` makes them, `--dry-run` prints them, `down` removes them.
type Specs struct {
	Network Network
	// Base, Kernel and Initrd come from the golden image and are never written.
	Base, Kernel, Initrd Volume
	Nodes                []NodeSpec
}

// NodeSpec is one node's share.
type NodeSpec struct {
	Node          topology.Node
	Overlay, Seed Volume
	Domain        Domain
}

// Specs computes the pair's objects. Paths of volumes are known only once the
// volumes exist; until then a domain's files are the volumes' names.
func (c *Cluster) Specs() Specs {
	t := c.Topology
	// Volumes that a golden image fills carry its identity in their names, so
	// that a new image never finds an old one's content.
	s := Specs{
		Network: Network{
			Owner: c.Owner, Name: "labctl-" + c.Name, Bridge: bridgeName(c.Name),
			CIDR: t.Network.CIDR, Gateway: t.Network.Gateway, MTU: t.Network.MTU,
		},
		Base:   Volume{Owner: c.Owner, Name: "base-" + c.Image.ID + ".qcow2", Format: "qcow2", Source: c.Image.Disk, Shared: true},
		Kernel: Volume{Owner: c.Owner, Name: "vmlinuz-" + c.Image.ID, Format: "raw", Source: c.Image.Kernel, Shared: true},
		Initrd: Volume{Owner: c.Owner, Name: "initrd-" + c.Image.ID, Format: "raw", Source: c.Image.Initrd, Shared: true},
	}
	for _, n := range t.Machines() {
		s.Nodes = append(s.Nodes, c.nodeSpec(n, s))
	}
	return s
}

func (c *Cluster) nodeSpec(n topology.Node, s Specs) NodeSpec {
	overlay := Volume{
		Owner: c.Owner, Name: n.Name + ".qcow2", Format: "qcow2",
		Capacity: uint64(n.DiskGiB) << 30, Backing: s.Base.Name,
	}
	seed := Volume{Owner: c.Owner, Name: n.Name + "-seed.tar", Format: "raw", Source: c.path("seed", n.Name+".tar")}
	return NodeSpec{
		Node: n, Overlay: overlay, Seed: seed,
		Domain: Domain{
			Owner: c.Owner, Name: c.domainName(n), Hostname: n.Name,
			UUID: topology.UUID(c.Name, "domain", n.Name), MAC: topology.MAC(c.Name, n.Name),
			Fingerprint: c.Topology.Fingerprint(), Accelerator: c.Accelerator,
			VCPUs: n.VCPUs, MemoryMiB: n.MemoryMiB,
			Kernel: s.Kernel.Name, Initrd: s.Initrd.Name, Cmdline: KernelCmdline(c.Accelerator, c.TSCKHz),
			Disk: overlay.Name, Backing: s.Base.Name, Seed: seed.Name, Network: s.Network.Name,
		},
	}
}

func (c *Cluster) domainName(n topology.Node) string { return c.Name + "-" + n.Name }

func (c *Cluster) domainNames() []string {
	var names []string
	for _, n := range c.Specs().Nodes {
		names = append(names, n.Domain.Name)
	}
	return names
}

// KernelCmdline is the kernel's command line. The nodes are throw-away machines on a
// private segment, so speculation mitigations buy nothing and cost a lot.
func KernelCmdline(a Accelerator, tscKHz int) string {
	args := []string{"root=/dev/vda", "rw", "console=ttyS0", "quiet", "mitigations=off", "audit=0", "nowatchdog"}
	if a == TCG {
		// Under emulation the kernel distrusts the TSC and falls back to the
		// HPET; reading it then takes half of all CPU time (measured).
		// Where many guests share a CPU, it may also find that the timer does not
		// tick in time, and panic: "IO-APIC + timer doesn't work" (seen).
		args = append(args, "tsc=reliable", "clocksource=tsc", "no_timer_check")
		if tscKHz > 0 {
			// Left to measure the TSC against a timer while it waits for a CPU, a
			// guest was seen to run its clock seven times too fast.
			args = append(args, fmt.Sprintf("tsc_early_khz=%d", tscKHz))
		}
	}
	return strings.Join(args, " ")
}

// bridgeName fits the kernel's limit of 15 bytes whatever the pair is called.
func bridgeName(pair string) string {
	sum := sha256.Sum256([]byte(pair))
	return fmt.Sprintf("lab-%s", hex.EncodeToString(sum[:4]))
}

// SizeError says that a node is too small for the image.
type SizeError struct {
	Node, What string
	Has, Needs int64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("sizing node %q: its %s is %d, the image needs %d", e.Node, e.What, e.Has, e.Needs)
}

// Hint says what to change.
func (e *SizeError) Hint() string { return "raise it in the topology" }

// clientMemoryMiB is enough for a node on which nothing of Kubernetes runs: booted
// from the pair's image with so much, 110 MiB were available beside HAProxy.
const clientMemoryMiB = 256

// checkSizes refuses nodes that the image cannot boot on: a file system that is
// larger than its disk, say, cannot be mounted.
func (c *Cluster) checkSizes() error {
	for _, n := range c.Specs().Nodes {
		if need := (c.Image.DiskBytes + 1<<30 - 1) >> 30; int64(n.Node.DiskGiB) < need {
			return &SizeError{n.Node.Name, "diskGiB", int64(n.Node.DiskGiB), need}
		}
		need := c.Image.MemoryMiB
		if n.Node.Role == topology.Client {
			need = min(need, clientMemoryMiB)
		}
		if n.Node.MemoryMiB < need {
			return &SizeError{n.Node.Name, "memoryMiB", int64(n.Node.MemoryMiB), int64(need)}
		}
	}
	return nil
}
