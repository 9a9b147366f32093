package doctor

import (
	"context"
	"fmt"
	"strings"

	"labctl/provision/capacity"
)

// cpus compares processors; guests may share them, at a price.
func cpus(_ context.Context, s survey) []Finding {
	if s.remote() {
		return nil
	}
	here := 0
	for line := range strings.Lines(s.read("/proc/cpuinfo")) {
		if key, _, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == "processor" {
			here++
		}
	}
	need := capacity.Of(s.Topology)
	text := fmt.Sprintf("%d here, the nodes of %s have %d", here, s.Topology.Name, need.VCPUs)
	if here < need.MostVCPUs {
		return note(fmt.Sprintf("%s, one of them alone %d: it may be too slow for its time limits", text, need.MostVCPUs),
			fmt.Sprintf("give this machine %d CPUs", need.MostVCPUs))
	}
	return ok(text)
}

// memory compares what the nodes may come to use with what is available.
func memory(_ context.Context, s survey) []Finding {
	if s.remote() {
		return nil
	}
	available, limited := capacity.AvailableMiB(s.Root)
	guests, need := capacity.Of(s.Topology).GuestMiB, capacity.Of(s.Topology).MemoryMiB()
	text := fmt.Sprintf("%s of %s available", gib(available), gib(capacity.Meminfo(s.Root, "MemTotal")))
	if limited != "" {
		text = fmt.Sprintf("%s available under the limit of control group %s", gib(available), limited)
	}
	switch {
	case s.Up:
		return ok(fmt.Sprintf("%s; pair %s is up and has its own", text, s.Pair))
	case available < guests:
		return bad(fmt.Sprintf("%s, the nodes of %s need %s", text, s.Topology.Name, gib(need)),
			fmt.Sprintf("free %s (labctl status shows other pairs)", gib(need-available)))
	case available < need:
		return note(fmt.Sprintf("%s, the nodes of %s with QEMU's own come to %s", text, s.Topology.Name, gib(need)),
			fmt.Sprintf("free %s", gib(need-available)))
	}
	return ok(fmt.Sprintf("%s, the nodes of %s need %s", text, s.Topology.Name, gib(need)))
}

// sharing says whether the kernel looks for pages that guests have alike. One pair
// has no use for it, so it is never more than told.
func sharing(_ context.Context, s survey) []Finding {
	if s.remote() {
		return nil
	}
	switch k := capacity.ReadSharing(s.Root); {
	case !k.Known:
		return ok("this kernel does not share equal memory of guests (it has no KSM)")
	case !k.On:
		return ok("equal memory of guests is not shared: KSM is off. For many seats: " + capacity.SwitchOn)
	default:
		return ok(fmt.Sprintf("equal memory of guests is shared (KSM), which spares %s now", gib(k.SavedMiB)))
	}
}

func gib(mib int) string { return capacity.GiB(mib) }
