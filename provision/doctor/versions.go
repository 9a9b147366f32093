package doctor

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The oldest versions that labctl is tried with, those of Debian 12.
const (
	oldestLibvirt = "9.0.0"
	oldestQEMU    = "7.2.0"
)

// libvirtVersion compares the daemon, the program on disk and what is tried.
func libvirtVersion(ctx context.Context, s survey) []Finding {
	running, installed := "", ""
	if s.facts != nil {
		running = s.facts.Libvirt
	}
	if !s.remote() {
		for _, name := range []string{"libvirtd", "virtqemud"} {
			if installed = s.versionOf(ctx, name); installed != "" {
				break
			}
		}
	}
	return judgeVersion(running, installed, oldestLibvirt, s.restart())
}

// qemuVersion does the same for QEMU.
func qemuVersion(ctx context.Context, s survey) []Finding {
	running, installed := "", ""
	if s.facts != nil {
		running = s.facts.QEMU
	}
	if !s.remote() {
		installed = s.versionOf(ctx, "qemu-system-x86_64")
	}
	return judgeVersion(running, installed, oldestQEMU, s.restart())
}

// restart makes the daemon notice that programs changed under it.
func (s survey) restart() string {
	if s.private() {
		return fmt.Sprintf("labctl down %s, then up again", s.Pair)
	}
	return "systemctl restart libvirtd (or virtqemud)"
}

func judgeVersion(running, installed, oldest, restart string) []Finding {
	known, what := running, "of the daemon"
	if known == "" {
		known, what = installed, "installed"
	}
	switch {
	case known == "":
		return nil // the check of programs, or of the hypervisor, says why
	case running != "" && installed != "" && compareVersions(running, installed) != 0:
		return note(fmt.Sprintf("the daemon runs with %s, installed is %s", running, installed), restart)
	case compareVersions(known, oldest) < 0:
		return note(fmt.Sprintf("%s %s is older than what labctl is tried with (%s)", known, what, oldest),
			"use Debian 12, Ubuntu 24.04 or newer")
	}
	return ok(known + " " + what)
}

var versionPattern = regexp.MustCompile(`\d+\.\d+(\.\d+)?`)

// versionOf asks a program for its version; empty if it is not there.
func (s survey) versionOf(ctx context.Context, name string) string {
	path, found := s.find(name, daemonPath)
	if !found {
		return ""
	}
	text, err := s.Run(ctx, s.path(path), "--version")
	if err != nil {
		return ""
	}
	return versionPattern.FindString(text)
}

// compareVersions orders versions of numbers and dots; a part that is missing
// is 0.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if d := part(as, i) - part(bs, i); d != 0 {
			return d
		}
	}
	return 0
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[i])
	if err != nil {
		return 0
	}
	return n
}

// checkpoints says whether reset can revert.
func checkpoints(_ context.Context, s survey) []Finding {
	switch {
	case s.facts == nil:
		return nil
	case s.facts.Checkpoints:
		return ok("taken and reverted with memory")
	}
	return note("not on this hypervisor: "+oneLine(s.facts.WhyNoCheckpoints)+"; reset makes the disks again, which takes longer",
		"a newer libvirt, or --hypervisor private")
}
