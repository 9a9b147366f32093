package sample

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const printed = `== rules
*nat
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
*filter
-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
== ipvs
IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port Forward Weight ActiveConn InActConn
TCP  0A600001:01BB rr
  -> 0A0A0A82:192B      Masq    1      3          0
TCP  [fd000000000000000000000000000001]:0050 rr persistent 10800
== connections
ipv4     2 tcp      6 431999 ESTABLISHED src=10.244.1.5 dst=10.96.0.10 sport=43210 dport=80 packets=3 bytes=180 src=10.244.1.7 dst=10.244.1.5 sport=8080 dport=43210 packets=2 bytes=120 [ASSURED] mark=0 zone=0 use=2
tcp      6 86399 ESTABLISHED src=127.0.0.1 dst=127.0.0.1 sport=2379 dport=4000 src=127.0.0.1 dst=127.0.0.1 sport=4000 dport=2379 [ASSURED] mark=0 use=1
`

func TestRead(t *testing.T) {
	s := read(printed)
	assert.Equal(t, []string{
		"nat -A PREROUTING -j KUBE-SERVICES # kubernetes service portals",
		"filter -A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP",
		"ipvs TCP 10.96.0.1:443 rr",
		"ipvs    -> 10.10.10.130:6443 Masq weight 1",
	}, s.rules)
	assert.Equal(t, []string{"tcp ESTABLISHED 10.244.1.5:43210 → 10.96.0.10:80 ⇄ 10.244.1.7:8080"}, s.conns)
	assert.Equal(t, 1, s.local)
	s = read("== rules\n!no such program\n== connections\n!nor that\n")
	assert.Equal(t, seen{rulesLack: "no such program", connsLack: "nor that"}, s)
	assert.Empty(t, read("nothing like it"))
}

func TestConnection(t *testing.T) {
	for line, want := range map[string]string{
		"tcp 6 117 SYN_SENT src=10.0.0.1 dst=10.0.0.2 sport=1 dport=2 [UNREPLIED] src=10.0.0.2 dst=10.0.0.1 sport=2 dport=1 mark=0 use=1":          "tcp SYN_SENT 10.0.0.1:1 → 10.0.0.2:2 [UNREPLIED]",
		"tcp 6 117 TIME_WAIT src=10.0.0.1 dst=10.96.0.1 sport=1 dport=443 src=10.0.0.3 dst=10.0.0.9 sport=6443 dport=7 [ASSURED] mark=16384 use=1": "tcp TIME_WAIT 10.0.0.1:1 → 10.96.0.1:443 ⇄ 10.0.0.3:6443 → 10.0.0.9:7 mark=16384",
		"icmp 1 29 src=10.0.0.1 dst=10.0.0.2 type=8 code=0 id=77 src=10.0.0.2 dst=10.0.0.1 type=0 code=0 id=77 mark=0 use=1":                       "icmp 10.0.0.1 → 10.0.0.2 id 77",
		"ipv6 10 udp 17 9 src=fd00::1 dst=fd00::2 sport=5353 dport=53 src=fd00::2 dst=fd00::1 sport=53 dport=5353 mark=0 zone=0 use=2":             "udp [fd00::1]:5353 → [fd00::2]:53",
		"something that nobody knows": "something that nobody knows",
		"":                            "",
		"src=":                        "src=  →", // from a hostile node
	} {
		got, local := connection(line)
		assert.Equal(t, want, strings.TrimSpace(got), line)
		assert.False(t, local)
	}
}

func TestHexAddress(t *testing.T) {
	for _, bad := range []string{"", ":", "0A600001", "0A6000:01BB", "xyz:01BB", "0A600001:FFFFF", "0A600001:"} {
		_, ok := hexAddress(bad)
		assert.False(t, ok, bad)
	}
	got, ok := hexAddress("[2001:db8::1]:0050")
	assert.True(t, ok)
	assert.Equal(t, "[2001:db8::1]:80", got)
}

// drawn is a pane in few words: + came, - went.
func drawn(lines []Line) string {
	var all []string
	for _, l := range lines {
		mark := ""
		if l.New {
			mark = "+"
		}
		if l.Gone {
			mark += "-"
		}
		all = append(all, mark+l.Text)
	}
	return strings.Join(all, " ")
}

func TestMarks(t *testing.T) {
	var m marks
	for i, look := range []struct{ now, want string }{
		{"a b b c", "a b b c"},
		{"a b c d", "a b -b c +d"},
		{"b c d", "-a b -b c +d"},
		{"b c d", "-a b -b c +d"},
		{"b c d", "-a b c d"},
		{"b c d", "b c d"},
		{"", "-b -c -d"},
		{"c", "-b -d +c"},
		{"c", "-b -d +c"},
		{"c", "+c"},
		{"c", "c"},
	} {
		assert.Equal(t, look.want, drawn(m.next(strings.Fields(look.now))), "look %d", i)
	}
}

// TestLook runs the script here: it says something of both, whatever this machine
// has, and ends well.
func TestLook(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "bash", "-c", look)
	cmd.Env = append(cmd.Environ(), "LIMIT=20")
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(out), "== rules\n"), "%s", out)
	assert.Contains(t, string(out), "\n== connections\n")
	read(string(out))
	t.Run("on a machine without programs", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), "/bin/bash", "-c", look)
		cmd.Env = []string{"LIMIT=20", "PATH=/nowhere"}
		out, err := cmd.Output()
		require.NoError(t, err)
		assert.Contains(t, string(out), "== connections\n")
	})
}
