package privatetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Host writes down what a private hypervisor must not change of the machine it
// runs on, to be compared with itself later. On a machine that does other
// things at the same time, mounts and firewall counters move by themselves.
func Host(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	for _, argv := range [][]string{
		{"ip", "link"},
		{"ip", "address"},
		{"ip", "route", "show", "table", "all"},
		{"ip", "-6", "route", "show", "table", "all"},
		{"ip", "rule"},
		{"ip", "neigh"},
		{"ip", "netns", "list"},
		{"iptables-save"},
		{"ip6tables-save"},
		{"nft", "list", "ruleset"},
		{"cat", "/proc/self/mountinfo"},
		{"sysctl", "net.ipv4.ip_forward", "net.ipv4.conf.all", "net.ipv4.conf.default", "net.ipv6.conf.all.forwarding"},
		{"find", "/etc/libvirt", "/var/lib/libvirt", "/var/cache/libvirt", "/var/log/libvirt", "/etc/apparmor.d/libvirt", "/run/netns", "/dev/hugepages", "-printf", `%p %m %u %g %T@\n`},
		{"find", "/sys/fs/cgroup", "-type", "d", "-name", "*machine*"},
		{"ls", "-l", "/dev/kvm", "/dev/net/tun"},
	} {
		// A folder that is not there is part of the answer.
		out, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).CombinedOutput()
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
			require.NoError(t, err)
		}
		fmt.Fprintf(&b, "$ %s\n", strings.Join(argv, " "))
		for line := range strings.Lines(string(out)) {
			if !strings.HasPrefix(line, "# ") { // dates
				b.WriteString(line)
			}
		}
	}
	for _, folder := range []string{"/run/libvirt", "/run/libvirtd.pid", "/run/virtlogd.pid", "/run/xtables.lock"} {
		_, err := os.Lstat(folder)
		fmt.Fprintf(&b, "%s: %v\n", folder, err)
	}
	return b.String()
}
