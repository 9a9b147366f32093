package capacity

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// AvailableMiB is what the kernel of the machine below root ("/") says a new
// program may use, or what is left under the tightest limit of this process's
// control groups; by names the group then.
func AvailableMiB(root string) (available int, by string) {
	available = Meminfo(root, "MemAvailable")
	group := ""
	for line := range strings.Lines(read(root, "/proc/self/cgroup")) {
		if path, found := strings.CutPrefix(strings.TrimSpace(line), "0::"); found {
			group = path
		}
	}
	if group == "" {
		return available, by
	}
	for ; ; group = filepath.Dir(group) {
		dir := filepath.Join("/sys/fs/cgroup", group)
		limit, errLimit := strconv.Atoi(read(root, filepath.Join(dir, "memory.max")))
		used, errUsed := strconv.Atoi(read(root, filepath.Join(dir, "memory.current")))
		if errLimit == nil && errUsed == nil {
			// The page cache counts as used and is given back.
			used -= inactiveFile(read(root, filepath.Join(dir, "memory.stat")))
			if left := (limit - used) >> 20; left < available {
				available, by = max(left, 0), group
			}
		}
		if group == "/" || group == "." {
			return available, by
		}
	}
}

func inactiveFile(stat string) int {
	for line := range strings.Lines(stat) {
		if value, found := strings.CutPrefix(line, "inactive_file "); found {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err == nil {
				return n
			}
		}
	}
	return 0
}

// Meminfo is a line of /proc/meminfo in MiB; 0 if there is none.
func Meminfo(root, key string) int {
	for line := range strings.Lines(read(root, "/proc/meminfo")) {
		if value, found := strings.CutPrefix(line, key+":"); found {
			kib, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
			if err == nil {
				return kib >> 10
			}
		}
	}
	return 0
}

// read returns a file's content without the white space around it; empty if it
// cannot be read.
func read(root, path string) string {
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}
