package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// qemuMiB is allowed for QEMU beside each guest's memory: a guest of 128 MiB was
// seen to take 240 MiB under emulation, and translated code grows with what runs.
const qemuMiB = 256

// guestMiB is the memory of the nodes that are always started.
func (s survey) guestMiB() (total, nodes int) {
	for _, n := range s.Topology.Machines() {
		total += n.MemoryMiB
		nodes++
	}
	return total, nodes
}

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
	want, most := 0, 0
	for _, n := range s.Topology.Machines() {
		want += n.VCPUs
		most = max(most, n.VCPUs)
	}
	text := fmt.Sprintf("%d here, the nodes of %s have %d", here, s.Topology.Name, want)
	if here < most {
		return note(fmt.Sprintf("%s, one of them alone %d: it may be too slow for its time limits", text, most),
			fmt.Sprintf("give this machine %d CPUs", most))
	}
	return ok(text)
}

// memory compares what the nodes may come to use with what is available.
func memory(_ context.Context, s survey) []Finding {
	if s.remote() {
		return nil
	}
	available, limited := s.availableMiB()
	guests, nodes := s.guestMiB()
	need := guests + nodes*qemuMiB
	text := fmt.Sprintf("%s of %s available", gib(available), gib(s.meminfoMiB("MemTotal")))
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

// availableMiB is what the kernel says a new program may use, or what is left
// under the tightest limit of this process's control groups (named then).
func (s survey) availableMiB() (int, string) {
	available, by := s.meminfoMiB("MemAvailable"), ""
	group := ""
	for line := range strings.Lines(s.read("/proc/self/cgroup")) {
		if path, found := strings.CutPrefix(strings.TrimSpace(line), "0::"); found {
			group = path
		}
	}
	if group == "" {
		return available, by
	}
	for ; ; group = filepath.Dir(group) {
		dir := filepath.Join("/sys/fs/cgroup", group)
		limit, errLimit := strconv.Atoi(s.read(filepath.Join(dir, "memory.max")))
		used, errUsed := strconv.Atoi(s.read(filepath.Join(dir, "memory.current")))
		if errLimit == nil && errUsed == nil {
			// The page cache counts as used and is given back.
			used -= s.inactiveFile(filepath.Join(dir, "memory.stat"))
			if left := (limit - used) >> 20; left < available {
				available, by = max(left, 0), group
			}
		}
		if group == "/" || group == "." {
			return available, by
		}
	}
}

func (s survey) inactiveFile(path string) int {
	for line := range strings.Lines(s.read(path)) {
		if value, found := strings.CutPrefix(line, "inactive_file "); found {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err == nil {
				return n
			}
		}
	}
	return 0
}

func (s survey) meminfoMiB(key string) int {
	for line := range strings.Lines(s.read("/proc/meminfo")) {
		if value, found := strings.CutPrefix(line, key+":"); found {
			kib, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
			if err == nil {
				return kib >> 10
			}
		}
	}
	return 0
}

func gib(mib int) string { return fmt.Sprintf("%.1f GiB", float64(mib)/1024) }
