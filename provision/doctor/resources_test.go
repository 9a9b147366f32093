package doctor

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"labctl/topology"
)

func available(kib string) func(*testing.T, *Machine) {
	return func(t *testing.T, m *Machine) {
		write(t, *m, "/proc/meminfo", "MemTotal:       16384000 kB\nMemAvailable:    "+kib+" kB\n")
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	group := func(limit, current string) func(*testing.T, *Machine) {
		return func(t *testing.T, m *Machine) {
			write(t, *m, "/proc/self/cgroup", "1:name=systemd:/x\n0::/job/step\n")
			write(t, *m, "/sys/fs/cgroup/job/memory.max", limit)
			write(t, *m, "/sys/fs/cgroup/job/memory.current", current)
			write(t, *m, "/sys/fs/cgroup/job/memory.stat", "anon 5\ninactive_file 1073741824\n")
			write(t, *m, "/sys/fs/cgroup/job/step/memory.max", "max")
			write(t, *m, "/sys/fs/cgroup/job/step/memory.current", "7")
		}
	}
	play(t, "memory", []scene{
		{"enough", nil, []string{"ok: 7.8 GiB of 15.6 GiB available, the nodes of pair need 4.9 GiB"}},
		{"enough for the guests, not for QEMU", available("4700000"),
			[]string{"note: 4.5 GiB of 15.6 GiB available, the nodes of pair with QEMU's own come to 4.9 GiB -> free 0.4 GiB"}},
		{"too little", available("4000000"),
			[]string{"bad: 3.8 GiB of 15.6 GiB available, the nodes of pair need 4.9 GiB -> free 1.1 GiB (labctl status shows other pairs)"}},
		{"taken by the pair itself", func(t *testing.T, m *Machine) { available("1000000")(t, m); m.Up = true },
			[]string{"ok: 1.0 GiB of 15.6 GiB available; pair pair is up and has its own"}},
		{"optional nodes do not count", func(t *testing.T, m *Machine) {
			m.Topology.Nodes = append(m.Topology.Nodes, topology.Node{Name: "client", MemoryMiB: 64 << 10, Optional: true})
		}, []string{"ok: 7.8 GiB of 15.6 GiB available, the nodes of pair need 4.9 GiB"}},
		{"a container's limit", group("3221225472", "2147483648"),
			[]string{"bad: 2.0 GiB available under the limit of control group /job, the nodes of pair need 4.9 GiB -> free 2.9 GiB (labctl status shows other pairs)"}},
		{"a limit above what there is", group("32212254720", "2147483648"),
			[]string{"ok: 7.8 GiB of 15.6 GiB available, the nodes of pair need 4.9 GiB"}},
		{"another machine's", func(_ *testing.T, m *Machine) { m.Hypervisor = "qemu+ssh://far/system" }, []string{}},
	})
	play(t, "cpus", []scene{
		{"two", nil, []string{"ok: 2 here, the nodes of pair have 3"}},
		{"one", func(t *testing.T, m *Machine) { write(t, *m, "/proc/cpuinfo", "processor : 0\nflags : svm\n") },
			[]string{"note: 1 here, the nodes of pair have 3, one of them alone 2: it may be too slow for its time limits -> give this machine 2 CPUs"}},
	})
}

func TestSharing(t *testing.T) {
	t.Parallel()
	ksm := func(run, pages string) func(*testing.T, *Machine) {
		return func(t *testing.T, m *Machine) {
			write(t, *m, "/sys/kernel/mm/ksm/run", run+"\n")
			write(t, *m, "/sys/kernel/mm/ksm/pages_sharing", pages+"\n")
		}
	}
	play(t, "sharing", []scene{
		{"a kernel without", nil, []string{"ok: this kernel does not share equal memory of guests (it has no KSM)"}},
		{"off", ksm("0", "0"), []string{"ok: equal memory of guests is not shared: KSM is off. For many seats: echo 1 | sudo tee /sys/kernel/mm/ksm/run"}},
		{"on", ksm("1", strconv.Itoa(3<<29/os.Getpagesize())), []string{"ok: equal memory of guests is shared (KSM), which spares 1.5 GiB now"}},
		{"another machine's", func(_ *testing.T, m *Machine) { m.Hypervisor = "qemu+ssh://far/system" }, []string{}},
	})
}

func TestSpace(t *testing.T) {
	t.Parallel()
	free := func(gibs map[string]uint64) func(string) (Free, error) {
		return func(path string) (Free, error) {
			for prefix, n := range gibs {
				if strings.HasPrefix(path, prefix) {
					return Free{Bytes: n << 30, Device: n}, nil
				}
			}
			return Free{}, errors.New("measuring free space at \"" + path + "\": no such device")
		}
	}
	play(t, "space", []scene{
		{"one file system", nil, []string{"ok: 100.0 GiB free for images /cache, pairs /state (6.3 GiB)"}},
		{"an image to build", func(_ *testing.T, m *Machine) { unbuilt(m) },
			[]string{"ok: 100.0 GiB free for images /cache (6.0 GiB), Go's cache /home/ada/.cache (10.0 GiB), pairs /state (6.3 GiB)"}},
		{"too little for all, though enough for each", func(_ *testing.T, m *Machine) {
			unbuilt(m)
			m.Free = free(map[string]uint64{"/": 12})
		}, []string{"bad: 12.0 GiB free for images /cache (6.0 GiB), Go's cache /home/ada/.cache (10.0 GiB), pairs /state (6.3 GiB) -> free 10.3 GiB there (labctl image gc), or move folders with LABCTL_STATE and LABCTL_CACHE"}},
		{"two file systems, one full", func(_ *testing.T, m *Machine) {
			m.Free = free(map[string]uint64{"/cache": 50, "/state": 3})
		},
			[]string{"ok: 50.0 GiB free for images /cache",
				"bad: 3.0 GiB free for pairs /state (6.3 GiB) -> free 3.3 GiB there (labctl image gc), or move folders with LABCTL_STATE and LABCTL_CACHE"}},
		{"the pair is up", func(_ *testing.T, m *Machine) { m.Up = true; m.Free = free(map[string]uint64{"/": 1}) },
			[]string{"ok: 1.0 GiB free for images /cache, pairs /state"}},
		{"the system's pool", func(_ *testing.T, m *Machine) {
			system(m, facts())
			m.Free = free(map[string]uint64{"/cache": 9, "/state": 9, "/var/lib/libvirt": 2})
		}, []string{"ok: 9.0 GiB free for images /cache, pairs /state",
			"bad: 2.0 GiB free for disks /var/lib/libvirt/images (6.3 GiB) -> free 4.3 GiB there (labctl image gc), or move folders with LABCTL_STATE and LABCTL_CACHE"}},
		{"unreadable", func(_ *testing.T, m *Machine) { m.Free = free(map[string]uint64{"/cache": 9}) },
			[]string{"bad: pairs: measuring free space at \"/state\": no such device -> choose another folder with LABCTL_STATE or LABCTL_CACHE",
				"ok: 9.0 GiB free for images /cache"}},
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	play(t, "names", []scene{
		{"short", nil, []string{"ok: pair pair, bridge lab-47d8bd46, socket path of 45 bytes (at most 107)"}},
		{"the system's socket is where it is", func(_ *testing.T, m *Machine) { system(m, facts()) }, []string{"ok: pair pair, bridge lab-47d8bd46"}},
		{"a deep folder that just fits", func(_ *testing.T, m *Machine) {
			m.HypervisorDir = "/" + strings.Repeat("d", 107-len("//run/libvirt-sock"))
		},
			[]string{"ok: pair pair, bridge lab-47d8bd46, socket path of 107 bytes (at most 107)"}},
		{"a deeper one", func(_ *testing.T, m *Machine) {
			m.HypervisorDir = "/" + strings.Repeat("d", 108-len("//run/libvirt-sock"))
		},
			[]string{"note: pair pair, bridge lab-47d8bd46; the socket's path has 108 bytes, 107 fit: labctl goes another way, virsh cannot -> move the state to a shorter folder: LABCTL_STATE=/var/lib/labctl"}},
		{"a long pair", func(_ *testing.T, m *Machine) { m.Pair = strings.Repeat("p", 21) },
			[]string{`bad: the pair's name "ppppppppppppppppppppp" has 21 characters, at most 20 fit -> choose a shorter one with --name`}},
		{"a long bridge", func(_ *testing.T, m *Machine) { m.Bridge = "lab-0123456789ab" },
			[]string{`bad: the bridge's name "lab-0123456789ab" has 16 characters, at most 15 fit -> choose a shorter name with --name`}},
	})
}
