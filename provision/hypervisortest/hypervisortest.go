// Package hypervisortest is the suite that every provision.Hypervisor is held
// to: the words of the interface, as checks.
//
// What a hypervisor under test cannot do is said by name in its Env, and each
// test that needs it is skipped with that reason. Nothing is left out silently.
package hypervisortest

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"labctl/provision"
)

// Env is a hypervisor and what the suite needs to act on it from outside.
type Env struct {
	Hypervisor provision.Hypervisor
	// Lacks names what this hypervisor cannot do, each with the reason.
	Lacks map[Ability]string
	// Image boots in the few tests that need code to run. All other domains have
	// an empty disk and stay in their firmware, which costs 64 MiB and no time.
	Image *Image
	// Accelerator of the domains; empty means TCG.
	Accelerator provision.Accelerator
	// Foreign makes a domain, network or pool of this name that is not
	// labctl's, and removes it when the test ends.
	Foreign func(t *testing.T, kind provision.Kind, name string)
	// Pause and Stop do to a domain what a user might.
	Pause, Stop func(t *testing.T, domain string)
	// StopNetwork makes a network inactive, as a reboot of the host does.
	StopNetwork func(t *testing.T, name string)
	// Cut shortens the file of a volume, as an interrupted upload does.
	Cut func(t *testing.T, path string, length int64)
	// Lose deletes the file of a volume, as someone does by hand.
	Lose func(t *testing.T, path string)
	// StopPool makes a pool inactive, as a reboot of the host does; nil if this
	// hypervisor's are always active.
	StopPool func(t *testing.T, name string)
	// Content reads the file of a volume; nil if it has none.
	Content func(t *testing.T, path string) []byte
	// Only names the groups to run; nil means all. A second way to a hypervisor
	// that has passed need not show everything again.
	Only []string
	// Limit is the time that one test may take; 0 means a minute.
	Limit time.Duration
}

// Ability is something that not every hypervisor can do.
type Ability string

// The abilities.
const (
	Uploads Ability = "uploads" // volumes filled from a file
	Console Ability = "console" // serial output can be read
	Overlay Ability = "overlay" // volumes know their backing file
	Bridges Ability = "bridges" // networks carry traffic: addresses clash, domains need theirs
	Guests  Ability = "guests"  // domains run code
)

// Image is a small guest that boots from a kernel and a disk, all local files,
// and then listens as an SSH server does.
type Image struct {
	Disk, Kernel, Initrd string
	// Cmdline of the kernel.
	Cmdline string
	// MemoryMiB is what a guest needs.
	MemoryMiB int
	// Seed writes the file that makes a node itself.
	Seed func(t *testing.T, n Node) string
	// Boot is the time that it may take until it greets on port 22.
	Boot time.Duration
}

// Node is what a seed says.
type Node struct {
	Name, MAC string
	Address   netip.Addr
	Network   provision.Network
}

// Run holds the hypervisor to the suite.
func Run(t *testing.T, env Env) {
	if env.Limit == 0 {
		env.Limit = time.Minute
	}
	if env.Accelerator == "" {
		env.Accelerator = provision.TCG
	}
	for _, group := range []struct {
		name  string
		tests []test
	}{
		{"Facts", factsTests},
		{"Network", networkTests},
		{"Volume", volumeTests},
		{"Domain", domainTests},
		{"Checkpoint", checkpointTests},
		{"Owners", ownerTests},
		{"Guests", guestTests},
	} {
		if env.Only != nil && !slices.Contains(env.Only, group.name) {
			continue
		}
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.tests {
				t.Run(c.name, func(t *testing.T) { c.run(newBench(t, env, c.needs)) })
			}
		})
	}
}

// test is one check of the suite.
type test struct {
	name  string
	needs []Ability
	run   func(*bench)
}
