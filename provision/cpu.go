package provision

import (
	"slices"
	"strings"
)

// CPUFlags are the flags of the first processor in the text of /proc/cpuinfo.
func CPUFlags(cpuinfo string) []string {
	for line := range strings.Lines(cpuinfo) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == "flags" {
			return strings.Fields(value)
		}
	}
	return nil
}

// VirtualisationFlag is the CPU flag of hardware virtualisation among these:
// Intel's or AMD's, or empty. Without it no guest runs on KVM, whatever
// /dev/kvm says.
func VirtualisationFlag(flags []string) string {
	for _, flag := range []string{"vmx", "svm"} {
		if slices.Contains(flags, flag) {
			return flag
		}
	}
	return ""
}
