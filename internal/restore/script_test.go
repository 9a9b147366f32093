package restore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/remote"
)

// space is a network and a /tmp of the test's own, with this machine's tools: as
// much of a node as can be changed without harm. It needs root.
type space struct{ pid string }

func newSpace(t *testing.T) space {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "unshare", "--net", "--mount", "--kill-child", "--fork",
		"bash", "-ec", "mount -t tmpfs tmpfs /tmp; ip link set lo up; ip link add lab0 type bridge; ip link set lab0 up; echo $$; exec cat")
	in, err := cmd.StdinPipe() // it ends with the test
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	var pid string
	_, err = fmt.Fscanln(out, &pid)
	require.NoError(t, err)
	return space{pid}
}

func (s space) command(ctx context.Context, script string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "nsenter", "--target", s.pid, "--net", "--mount", "bash", "-s")
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"}
	cmd.Stdin = strings.NewReader(script)
	return cmd
}

// do runs a script that must succeed.
func (s space) do(t *testing.T, script string) {
	t.Helper()
	out, err := s.command(t.Context(), "set -e\n"+script).CombinedOutput()
	require.NoError(t, err, "%s: %s", script, out)
}

func (s space) Run(ctx context.Context, c remote.Command) (remote.Output, error) {
	cmd := s.command(ctx, c.Script)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return remote.Output{}, err
	}
	return remote.Output{Exit: cmd.ProcessState.ExitCode(), Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}, nil
}

func (s space) Put(context.Context, string, fs.FileMode, []byte) error { return io.ErrClosedPipe }
func (s space) Get(context.Context, string) ([]byte, error)            { return nil, io.ErrClosedPipe }
func (s space) Close() error                                           { return nil }

func (s space) take(t *testing.T) Fingerprint {
	t.Helper()
	f, err := Take(t.Context(), []string{"n"}, "n", func(context.Context, string) (remote.Conn, error) { return s, nil }, time.Minute)
	require.NoError(t, err)
	return f
}

// The scripts as bash runs them, with real iptables, nft and ip.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a network namespace: run without -short, as root, as `make test` does")
	}
	s := newSpace(t)
	base := s.take(t)
	require.Equal(t, []string{"not looked at: there is no /etc/kubernetes/admin.conf"}, base.section(t, Cluster, API).Lines)
	require.Contains(t, base.section(t, "n", Sysctls).Lines, "net.ipv4.ip_forward = 0")
	require.Equal(t, []string{"/tmp (folder)"}, base.section(t, "n", Tmp).Lines)
	for _, name := range []string{Iptables, IP6tables, Nftables, Interfaces, Routes, Rules, Qdiscs} {
		require.NotContains(t, strings.Join(base.section(t, "n", name).Lines, ""), notLookedAt, name)
	}
	require.Empty(t, differences(base, s.take(t)))

	diff := func(section string, missing, extra []string) []journal.Difference {
		return []journal.Difference{{Node: "n", Section: section, Missing: missing, Extra: extra}}
	}
	const ruleset = `nft -f - <<'END'
table inet lab {
	set ports { type inet_service; elements = { 80, 443 }; }
	chain input { type filter hook input priority 0; policy accept; tcp dport @ports counter drop; }
}
END
`
	// Some leave harmless traces, as on a real node: an empty table of iptables.
	tests := []struct {
		name, do, undo string
		want           []journal.Difference
	}{
		{"looking at a table", "iptables -t raw -L -n; ip6tables -t nat -S", "true", nil},
		{
			"a sysctl", "echo 1 > /proc/sys/net/ipv4/conf/all/arp_ignore", "echo 0 > /proc/sys/net/ipv4/conf/all/arp_ignore",
			diff(Sysctls, []string{"net.ipv4.conf.all.arp_ignore = 0"}, []string{"net.ipv4.conf.all.arp_ignore = 1"}),
		},
		{
			"a rule", `iptables -A INPUT -p tcp --dport 80 -m comment --comment "a: b" -j DROP`, "iptables -F INPUT",
			diff(Iptables, nil, []string{`-t filter -A INPUT -p tcp -m tcp --dport 80 -m comment --comment "a: b" -j DROP`}),
		},
		{"a chain", "iptables -t nat -N LAB", "iptables -t nat -X LAB", diff(Iptables, nil, []string{"-t nat -N LAB"})},
		{"a policy", "ip6tables -P FORWARD DROP", "ip6tables -P FORWARD ACCEPT", diff(IP6tables, nil, []string{"-t filter -P FORWARD DROP"})},
		{"a table of nft", ruleset, "nft delete table inet lab", diff(Nftables, nil, []string{
			"table inet lab",
			"table inet lab chain input",
			"table inet lab chain input: type filter hook input priority filter; policy accept;",
			"table inet lab chain input: tcp dport @ports counter drop",
			"table inet lab set ports",
			"table inet lab set ports: type inet_service",
			"table inet lab set ports element: 443",
			"table inet lab set ports element: 80",
		})},
		{"a file", "echo hi > '/tmp/a file'", "rm /tmp/a*", diff(Tmp, nil, []string{
			"/tmp/a file 3 bytes sha256 98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4",
		})},
		{"a service's private folder", "mkdir /tmp/systemd-private-x; echo x > /tmp/systemd-private-x/y", "rm -r /tmp/systemd-private-x", nil},
		{"a policy rule", "ip rule add pref 7 from 192.0.2.9 table 77", "ip rule del pref 7", diff(Rules, nil, []string{"7:\tfrom 192.0.2.9 lookup 77"})},
		{"a route", "ip route add 198.51.100.0/24 dev lo table 77", "ip route flush table 77", diff(Routes, nil, []string{"198.51.100.0/24 dev lo table 77 scope link"})},
		{
			"a neighbour", "ip neigh add 192.0.2.3 lladdr 02:00:00:00:00:01 dev lab0 nud permanent", "ip neigh del 192.0.2.3 dev lab0",
			diff(Neighbours, nil, []string{"192.0.2.3 dev lab0 lladdr 02:00:00:00:00:01 PERMANENT"}),
		},
		{"an address", "ip addr add 192.0.2.1/32 dev lab0", "ip addr del 192.0.2.1/32 dev lab0", diff(Interfaces, nil, []string{"lab0 inet 192.0.2.1/32"})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s.do(t, test.do)
			require.Equal(t, test.want, differences(base, s.take(t)))
			s.do(t, test.undo)
			require.Empty(t, differences(base, s.take(t)))
		})
	}
	t.Run("the order of two rules", func(t *testing.T) {
		s.do(t, "iptables -A INPUT -p tcp -j DROP; iptables -A INPUT -p udp -j DROP")
		before := s.take(t)
		s.do(t, "iptables -D INPUT 1; iptables -A INPUT -p tcp -j DROP")
		const tcp, udp = "-t filter -A INPUT -p tcp -j DROP", "-t filter -A INPUT -p udp -j DROP"
		require.Equal(t, diff("iptables, order in filter INPUT", []string{"1. " + tcp, "2. " + udp}, []string{"1. " + udp, "2. " + tcp}), differences(before, s.take(t)))
	})
}

// A program that is not installed is said, and a step that fails is an error.
func TestScriptsOnAnotherNode(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a network namespace: run without -short, as root, as `make test` does")
	}
	s := newSpace(t)
	// bash looks a function up before a program; command -v is made to find none.
	// Busybox has a grep that knows no -d, and an ip that knows no JSON.
	const hidden = "command() { [[ $2 != nft && $2 != tc ]] && builtin command \"$@\"; }\n" +
		"grep() { [[ $1 != -d ]] && builtin command grep \"$@\"; }\n" +
		"ip() { [[ $1 != -* ]] && builtin command ip \"$@\"; }\n"
	out, err := s.Run(t.Context(), remote.Command{Script: hidden + nodeScript})
	require.NoError(t, err)
	require.Zero(t, out.Exit, string(out.Stderr))
	pieces, err := split(string(out.Stdout))
	require.NoError(t, err)
	sections, err := nodeSections("n", pieces)
	require.NoError(t, err)
	f := Fingerprint{Sections: sections}
	require.Equal(t, []string{"not looked at: nft is not installed"}, f.section(t, "n", Nftables).Lines)
	require.Equal(t, []string{"not looked at: tc is not installed"}, f.section(t, "n", Qdiscs).Lines)
	require.Equal(t, []string{"not looked at: iproute2 is not installed"}, f.section(t, "n", Interfaces).Lines)
	require.Contains(t, f.section(t, "n", Sysctls).Lines, "net.ipv4.ip_forward = 0")

	out, err = s.Run(t.Context(), remote.Command{Script: "iptables-save() { echo broken >&2; return 4; }\n" + nodeScript})
	require.NoError(t, err)
	require.NotZero(t, out.Exit)
	require.Contains(t, string(out.Stderr), "broken")
}
