package capacity

import (
	"os"
	"strconv"
)

// Sharing is what the kernel does about pages that several guests have alike
// (KSM). QEMU offers it all guest memory unless a domain says "nosharepages";
// ours never do.
type Sharing struct {
	// Known says whether the kernel has KSM at all, On whether it looks for equal
	// pages now.
	Known, On bool
	// SavedMiB is how much memory is spared by it on this machine.
	SavedMiB int
}

// SwitchOn is the command that lets the kernel look for equal pages, until the
// machine is started anew. labctl never does it by itself: it is the machine's
// setting, costs CPU, and lets guests find out what others have in memory.
const SwitchOn = "echo 1 | sudo tee /sys/kernel/mm/ksm/run"

// ReadSharing looks at the machine below root ("/").
func ReadSharing(root string) Sharing {
	run := read(root, "/sys/kernel/mm/ksm/run")
	pages, _ := strconv.Atoi(read(root, "/sys/kernel/mm/ksm/pages_sharing")) // none if it is not there
	return Sharing{Known: run != "", On: run == "1", SavedMiB: pages * os.Getpagesize() >> 20}
}
