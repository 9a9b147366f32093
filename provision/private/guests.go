package private

import (
	"os"
	"strconv"
	"strings"
)

// Usage is what the guests of a private hypervisor take of the machine now.
type Usage struct {
	// Guests that run.
	Guests int
	// ResidentMiB is their memory with that of their QEMUs.
	ResidentMiB int
	// SharedMiB is the part of it that equals what other guests hold, and lies in
	// memory once for all of them (KSM); 0 where the kernel does not tell.
	SharedMiB int
}

// Use looks at the guests of a directory's hypervisor, whether or not its
// libvirtd runs. It needs root, as Find does.
func Use(dir string) (Usage, error) {
	var u Usage
	dir, err := canonical(dir)
	if err != nil {
		return u, err
	}
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return u, nil
	}
	if err := needRoot(); err != nil {
		return u, err
	}
	all, err := owned(dir)
	if err != nil {
		return u, err
	}
	resident, shared := 0, 0
	for _, p := range all {
		if !strings.HasPrefix(p.name, "qemu") { // qemu-system-x86_64, or qemu-kvm
			continue
		}
		u.Guests++
		resident += residentPages(read(p.pid, "statm"))
		merged, _ := strconv.Atoi(strings.TrimSpace(read(p.pid, "ksm_merging_pages"))) // since Linux 5.19
		shared += merged
	}
	u.ResidentMiB, u.SharedMiB = resident*os.Getpagesize()>>20, shared*os.Getpagesize()>>20
	return u, nil
}

// residentPages is the second field of /proc/<pid>/statm (proc(5)).
func residentPages(statm string) int {
	fields := strings.Fields(statm)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1]) // the kernel writes numbers
	return pages
}

// read returns a file of a process; empty if it ended or has no such file.
func read(pid int, name string) string {
	content, err := os.ReadFile(procPath(pid, name))
	if err != nil {
		return ""
	}
	return string(content)
}
