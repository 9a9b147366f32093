package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"labctl/provision/private"
)

// program is one that labctl starts, and the Debian package that has it.
type program struct{ name, pkg string }

// runPrograms are for the private hypervisor and the domains in it; libvirt's
// daemons look for them in folders of their own choice.
func runPrograms() []program {
	return []program{
		{"libvirtd", "libvirt-daemon-system"},
		{"virtlogd", "libvirt-daemon-system"},
		{"qemu-system-x86_64", "qemu-system-x86"},
		{"qemu-img", "qemu-utils"},
		{"dnsmasq", "dnsmasq-base"},
		{"ip", "iproute2"},
		{"iptables", "iptables"},
		{"nsenter", "util-linux"},
	}
}

// buildPrograms are for building images; the Go toolchain has a check of its own.
func buildPrograms() []program {
	return []program{
		{"apt-get", "apt"},
		{"apt-cache", "apt"},
		{"/usr/lib/apt/apt-helper", "apt"},
		{"dpkg-deb", "dpkg"},
		{"mmdebstrap", "mmdebstrap"},
		{"/usr/share/keyrings/debian-archive-keyring.gpg", "debian-archive-keyring"},
		{"tar", "tar"},
		{"xz", "xz-utils"},
		{"mke2fs", "e2fsprogs"},
		{"dumpe2fs", "e2fsprogs"},
		{"e2fsck", "e2fsprogs"},
		{"debugfs", "e2fsprogs"},
		{"qemu-img", "qemu-utils"},
	}
}

// programs looks for what a private hypervisor starts. A system's daemon has its
// own ways to find its programs.
func programs(_ context.Context, s survey) []Finding {
	if !s.private() {
		return nil
	}
	wanted := runPrograms()
	return judgePrograms(Bad, len(wanted), s.missing(wanted, daemonPath))
}

// imagePrograms looks for what the image builder starts.
func imagePrograms(_ context.Context, s survey) []Finding {
	wanted := buildPrograms()
	missing := s.missing(wanted, s.Getenv("PATH"))
	// The builder starts programs by the user's PATH, which often lacks sbin.
	if len(missing) > 0 && len(s.missing(missing, daemonPath)) == 0 {
		return at(s.forImage(), fmt.Sprintf("%s: installed, but not in PATH", nameList(missing)), "PATH=$PATH:/usr/sbin:/sbin labctl image build")
	}
	return judgePrograms(s.forImage(), len(wanted), missing)
}

// missing returns the programs that are not in the folders.
func (s survey) missing(wanted []program, folders string) []program {
	return slices.DeleteFunc(slices.Clone(wanted), func(p program) bool {
		if strings.HasPrefix(p.name, "/") {
			return s.exists(p.name)
		}
		_, found := s.find(p.name, folders)
		return found
	})
}

func judgePrograms(level Level, wanted int, missing []program) []Finding {
	if len(missing) == 0 {
		return ok(fmt.Sprintf("all %d installed", wanted))
	}
	var packages []string
	for _, p := range missing {
		if !slices.Contains(packages, p.pkg) {
			packages = append(packages, p.pkg)
		}
	}
	return at(level, "not installed: "+nameList(missing), "apt-get install "+strings.Join(packages, " "))
}

func nameList(programs []program) string {
	var all []string
	for _, p := range programs {
		all = append(all, p.name)
	}
	return strings.Join(all, ", ")
}

// namespaces tells what else a private hypervisor needs, as it says itself:
// namespaces that can be made, folders to mount over, the tun device.
func namespaces(_ context.Context, s survey) []Finding {
	if !s.private() || s.UID != 0 {
		return nil
	}
	missing := s.missing(runPrograms(), daemonPath)
	rest := slices.DeleteFunc(s.Preflight(), func(p private.Problem) bool {
		// What a missing package would bring is said by the check of programs.
		if len(missing) > 0 && strings.HasPrefix(p.Mend, "mkdir ") {
			return true
		}
		return slices.ContainsFunc(missing, func(m program) bool { return strings.HasPrefix(p.What, m.name+" ") })
	})
	if len(rest) == 0 {
		return ok("network and mount namespaces can be made")
	}
	var all []Finding
	for _, p := range rest {
		all = append(all, bad(oneLine(p.What), oneLine(p.Mend))...)
	}
	return all
}
