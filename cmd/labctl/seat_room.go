package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"labctl/provision"
	"labctl/provision/capacity"
	"labctl/provision/private"
)

// room is what this machine has left for pairs.
func (a *app) room() (capacity.Room, error) {
	state, err := a.stateDir()
	if err != nil {
		return capacity.Room{}, err
	}
	free, err := capacity.FreeAt(state)
	if err != nil {
		return capacity.Room{}, err
	}
	r := capacity.Room{DiskMiB: int(free.Bytes >> 20), CPUs: runtime.NumCPU()}
	r.MemoryMiB, r.MemoryBy = capacity.AvailableMiB("/")
	return r, nil
}

// takes is what a pair needs, and what it has taken. Guests of a hypervisor that
// others use, too, are not told apart here: what they take is no longer
// available, what they may still take is not known. So it is without root.
func (a *app) takes(r provision.Record) (capacity.Pair, error) {
	dir, err := a.pairDir(r.Name)
	if err != nil {
		return capacity.Pair{}, err
	}
	p := capacity.Pair{Name: r.Name, Need: capacity.Of(r.Topology)}
	if r.Hypervisor != privateName {
		p.Need.DiskMiB = 0 // its disks are elsewhere
		return p, nil
	}
	p.DiskMiB = capacity.UsedMiB(dir)
	use, err := private.Use(privateDir(dir))
	if err != nil && !errors.Is(err, private.ErrNotRoot) {
		return p, fmt.Errorf("looking at the guests of pair %q: %w", r.Name, err)
	}
	p.Guests, p.MemoryMiB = use.Guests, use.ResidentMiB
	return p, nil
}

// emulated says whether guests would run without KVM here: asked for, or because
// the CPU or the device for it is missing. The hypervisor may know better.
func emulated(accel string) bool {
	switch accel {
	case string(provision.KVM):
		return false
	case string(provision.TCG):
		return true
	}
	cpuinfo, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || provision.VirtualisationFlag(provision.CPUFlags(string(cpuinfo))) == "" {
		return true
	}
	_, err = os.Stat("/dev/kvm")
	return err != nil
}
