package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"labctl/provision"
)

// slow is what goes with software emulation.
const slow = "tcg, software emulation, some 20 times slower: "

// accelerator says whether KVM works. /dev/kvm alone proves nothing: on some
// virtual machines it opens and no guest boots; the CPU's flags are what tells.
func accelerator(ctx context.Context, s survey) []Finding {
	if s.remote() {
		return s.offered()
	}
	if s.Arch != "amd64" {
		return bad(fmt.Sprintf("the nodes are x86-64 machines, this one is %s", s.Arch), "use an x86-64 machine, or a hypervisor on one (--hypervisor qemu+ssh://…)")
	}
	flag := s.virtualisation()
	if flag == "" {
		if slices.Contains(s.cpuFlags(), "hypervisor") {
			return note(slow+"this is a virtual machine whose CPU shows neither vmx nor svm"+s.deviceAnyway(),
				"switch nested virtualisation on where this machine runs")
		}
		return note(slow+"the CPU shows neither vmx nor svm"+s.deviceAnyway(), "switch virtualisation on in the firmware (VT-x, AMD-V, SVM)")
	}
	if f := s.device(flag); f != nil {
		return f
	}
	return s.offeredHere(ctx, flag)
}

// virtualisation is the CPU flag of hardware virtualisation.
func (s survey) virtualisation() string { return provision.VirtualisationFlag(s.cpuFlags()) }

func (s survey) cpuFlags() []string { return provision.CPUFlags(s.read("/proc/cpuinfo")) }

// deviceAnyway warns of the case that misleads.
func (s survey) deviceAnyway() string {
	if s.exists("/dev/kvm") {
		return ", though there is a /dev/kvm"
	}
	return ""
}

// device says what keeps /dev/kvm from being opened. With a shared daemon it is
// the daemon's rights that count, not this process's.
func (s survey) device(flag string) []Finding {
	err := s.OpenDevice(s.path("/dev/kvm"))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		module := map[string]string{"vmx": "kvm_intel", "svm": "kvm_amd"}[flag]
		return note(slow+"the CPU shows "+flag+", but there is no /dev/kvm", "modprobe "+module)
	case denied(err) && s.shared():
		return nil
	case denied(err) && s.UID != 0:
		return note(slow+"/dev/kvm refuses this user", fmt.Sprintf("sudo usermod -aG kvm %s, then log in again; or run labctl with sudo", s.User))
	}
	return note(fmt.Sprintf("%sopening /dev/kvm: %v", slow, err), "in a container: give it the device /dev/kvm")
}

// offeredHere asks who will use KVM: the daemon, or else QEMU itself.
func (s survey) offeredHere(ctx context.Context, flag string) []Finding {
	if s.facts != nil {
		return s.offered()
	}
	path, found := s.find("qemu-system-x86_64", daemonPath)
	if !found {
		return ok("kvm, once QEMU is installed: the CPU shows " + flag + " and /dev/kvm opens")
	}
	text, err := s.Run(ctx, s.path(path), "-accel", "help")
	if err != nil || !strings.Contains(text, "kvm") {
		return note(slow+"this QEMU was built without KVM", "apt-get install qemu-system-x86")
	}
	return ok("kvm: the CPU shows " + flag + ", /dev/kvm opens and QEMU offers it")
}

// offered is the hypervisor's own answer.
func (s survey) offered() []Finding {
	switch {
	case s.facts == nil:
		return nil
	case s.facts.KVM:
		return ok("kvm: the CPU and the hypervisor offer it")
	}
	return note(slow+oneLine(s.facts.WhyNot), "on the hypervisor's machine: load kvm_intel or kvm_amd, then restart libvirt's daemon")
}
