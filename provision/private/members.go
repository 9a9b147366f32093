package private

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// markPrefix begins the source of the tmpfs that marks a namespace.
const markPrefix = "labctl:"

// The programs that make up the hypervisor.
const (
	libvirtd = "libvirtd"
	virtlogd = "virtlogd"
)

// process is one that was seen inside a namespace of ours. PID and start time
// (in clock ticks since boot) together name it for good.
type process struct {
	pid   int
	start uint64
	name  string // of its program, without folder
}

func (p process) String() string { return fmt.Sprintf("%s (process %d)", p.name, p.pid) }

// errGone says that a process ended while it was being looked at.
var errGone = errors.New("the process is gone")

// owned returns the processes whose innermost mark is the directory.
func owned(dir string) ([]process, error) {
	return scan(func(innermost string, _ []string) bool { return innermost == dir })
}

// descended returns the processes that carry the directory's mark at all: also
// those of a hypervisor that was started within this one.
func descended(dir string) ([]process, error) {
	return scan(func(_ string, all []string) bool { return slices.Contains(all, dir) })
}

// Running returns the directories of all private hypervisors of which a process
// runs on this machine, sorted; also of those whose directory is gone.
func Running() ([]string, error) {
	dirs := map[string]bool{}
	_, err := scan(func(innermost string, _ []string) bool {
		if innermost != "" {
			dirs[innermost] = true
		}
		return false
	})
	return slices.Sorted(maps.Keys(dirs)), err
}

// scan reads the process table. Processes of the caller's own mount namespace
// are passed over: a caller inside a hypervisor is not part of it.
func scan(want func(innermost string, all []string) bool) ([]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("reading the process table: %w", err)
	}
	self, err := os.Readlink("/proc/thread-self/ns/mnt")
	if err != nil {
		return nil, fmt.Errorf("reading the own mount namespace: %w", err)
	}
	verdicts := map[string]bool{self: false} // by namespace: most share the host's
	var found []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		ns, err := os.Readlink(procPath(pid, "ns/mnt"))
		if err != nil {
			continue // ended, or a zombie
		}
		yes, known := verdicts[ns]
		if !known {
			mounts, err := mountsOf(pid)
			if err != nil {
				continue
			}
			yes = want(marks(mounts))
			verdicts[ns] = yes
		}
		if !yes {
			continue
		}
		if p, err := look(pid); err == nil {
			found = append(found, p)
		}
	}
	return found, nil
}

// oldest returns the process of that program that has run longest: a child that
// has not yet executed its own program still looks like its parent.
func oldest(all []process, name string) (process, bool) {
	var best process
	for _, p := range all {
		if p.name == name && (best.pid == 0 || p.start < best.start || p.start == best.start && p.pid < best.pid) {
			best = p
		}
	}
	return best, best.pid != 0
}

func look(pid int) (process, error) {
	start, err := startTime(pid)
	if err != nil {
		return process{}, err
	}
	exe, err := os.Readlink(procPath(pid, "exe"))
	if err != nil {
		return process{}, err
	}
	// A program that was upgraded while it runs shows as deleted.
	name := filepath.Base(strings.TrimSuffix(exe, " (deleted)"))
	return process{pid: pid, start: start, name: name}, nil
}

// startTime is field 22 of /proc/<pid>/stat; the program's name before it may
// hold blanks and brackets.
func startTime(pid int) (uint64, error) {
	stat, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return 0, err
	}
	text := string(stat)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 || fields[0] == "Z" {
		return 0, errGone
	}
	return strconv.ParseUint(fields[19], 10, 64)
}

func mountsOf(pid int) ([]mount, error) {
	text, err := os.ReadFile(procPath(pid, "mountinfo"))
	if err != nil {
		return nil, err
	}
	return parseMounts(string(text)), nil
}

func procPath(pid int, name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	return err
}
