// Package capacity says how many pairs fit on a machine: what a pair may come to
// take, what the machine has left, and what pairs that run have not taken yet.
//
// Reading the machine and judging are apart: Judge is a pure function.
package capacity

import (
	"fmt"

	"labctl/topology"
)

// What a node takes beside the memory that it is given, in MiB.
const (
	// qemuMiB is QEMU's own, and a share of the pair's libvirtd, which takes some
	// 60 MiB with its helpers. Under emulation a guest of 128 MiB was seen to take
	// 240 MiB, and the three of a pair that had run labs 280 MiB each beside
	// theirs: translated code grows with what runs.
	qemuMiB = 300
	// growthMiB is how much a node's disk may grow. That of a control plane that
	// had run labs for hours, its checkpoint's memory among it, had 1.4 GiB.
	growthMiB = 1 << 10
)

// Need is what pairs of a topology may come to take. Memory and disks fill
// slowly; that they are not full yet makes no room for another pair.
type Need struct {
	// GuestMiB is the memory of the nodes, QEMUMiB what their emulators take
	// beside it.
	GuestMiB, QEMUMiB int
	// DiskMiB is the nodes' overlays and their checkpoint, which holds their
	// memory.
	DiskMiB int
	// VCPUs of all nodes, and MostVCPUs of the one that has most.
	VCPUs, MostVCPUs int
	// Nodes that are started.
	Nodes int
}

// MemoryMiB is all that a pair takes of the machine's memory.
func (n Need) MemoryMiB() int { return n.GuestMiB + n.QEMUMiB }

// Of is what one pair of a topology needs; nothing for hosts that exist already.
func Of(t topology.Topology) Need {
	var n Need
	if t.Hosts {
		return n
	}
	for _, m := range t.Machines() {
		n.Nodes++
		n.GuestMiB += m.MemoryMiB
		n.QEMUMiB += qemuMiB
		n.DiskMiB += m.MemoryMiB + min(growthMiB, m.DiskGiB<<10)
		n.VCPUs += m.VCPUs
		n.MostVCPUs = max(n.MostVCPUs, m.VCPUs)
	}
	return n
}

// GiB is an amount for people.
func GiB(mib int) string { return fmt.Sprintf("%.1f GiB", float64(mib)/1024) }
