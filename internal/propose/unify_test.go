package propose

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/plan"
	"labctl/internal/strictyaml"
)

// writtenLine is a line as a lab's file has it.
func writtenLine(l line) string { return strictyaml.Flow(l.value()) }

func TestWhatVaries(t *testing.T) {
	vars := map[string]string{"CIP": "10.96.0.77", "W": "worker", "POD": "10.244.1.3", "N": "7"}
	for _, c := range []struct{ came, want string }{
		// What stays.
		{"iptables", "iptables"},
		{"v1.37.2", "v1.37.2"},
		{"net.netfilter.nf_conntrack_max = 131072", "net.netfilter.nf_conntrack_max = 131072"},
		{"10.96.0.1 10.96.0.10 10.244.1.0/24 10.244.0.1 10.10.10.131", "'10.96.0.1 10.96.0.10 10.244.1.0/24 10.244.0.1 10.10.10.131'"},
		{"tcpCloseWaitTimeout: 1h0m0s", "'tcpCloseWaitTimeout: 1h0m0s'"},
		{"kube-https kube-proxy my-service port-24567", "kube-https kube-proxy my-service port-24567"},
		{"timeout 30s", "timeout 30s"},
		{"worker has 7", "worker has 7"},
		{"port=8080 dport=30080", "port=8080 dport=30080"},
		{"deadbeefcafe 123456789012", "deadbeefcafe 123456789012"},
		// Variables.
		{"to 10.96.0.77:80", "'to ${CIP}:80'"},
		{"10.244.1.3", "'${POD}'"},
		{"10.244.1.33 x10.244.1.3", `{regex: '10\.244\.1\.\d+ x10\.244\.1\.3'}`},
		{"$10.244.1.3", "{regex: '[$]${POD}'}"},
		{"${CIP} $${CIP} $CIP", "'$${CIP} $$${CIP} $CIP'"},
		// What is another the next time.
		{"pid=812,fd=3 sshd[4711]: hi", `{regex: 'pid=\d+,fd=3 sshd\[\d+\]: hi'}`},
		{"at 2026-01-02T03:04:05Z and 03:04:05.123456", `{regex: 'at \d+-\d+-\d+T\d+:\d+:\d+Z and \d+:\d+:\d+\.\d+'}`},
		{"# on Mon Nov  3 14:39:02 2026", `{regex: '# on [A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8}(?: [A-Z]+)? \d{4}'}`},
		{"I1130 14:39:02.123456    1234 x.go:1] y", `{regex: 'I\d{4} [\d:.]+ +\d+ x\.go:1\] y'}`},
		{"svr-7d4b9c6f5d-x2k8p is there", `{regex: 'svr-[a-z0-9]+-[a-z0-9]{5} is there'}`},
		{"replicaset.apps/svr-7d4b9c6f5d", `{regex: 'replicaset\.apps/svr-[a-z0-9]+'}`},
		{"pod/kube-proxy-x2k8p", `{regex: 'pod/kube-proxy-[a-z0-9]{5}'}`},
		{"-j KUBE-SEP-ABCDEFGHIJ234567", `{regex: '-j KUBE-SEP-[A-Z2-7]{16}'}`},
		{"id 0a1b2c3d4e5f", `{regex: 'id [0-9a-f]{12}'}`},
		{"00000000-1111-2222-3333-444444444444", `{regex: '[0-9a-f-]{36}'}`},
		{"link/ether 52:54:00:12:34:56", `{regex: 'link/ether [0-9a-f:]{17}'}`},
		{"veth1a2b3c4d@if2", `{regex: 'veth[0-9a-f]+@if2'}`},
		{"pod 10.244.1.9, service 10.103.4.87", `{regex: 'pod 10\.244\.1\.\d+, service \d+\.\d+\.\d+\.\d+'}`},
		{"sport=43122 dport=80 10.10.10.1:50000", `{regex: 'sport=\d+ dport=80 10\.10\.10\.1:\d+'}`},
		{"a Running 0 5m13s", `{regex: 'a Running 0 [0-9.a-zµ]+'}`},
		{"a 1 (5m ago)", `{regex: 'a 1 \([0-9.a-zµ]+ ago\)'}`},
		{"time=0.045 ms", `{regex: 'time=[0-9.]+ ms'}`},
		{"time=12.3 ms or time=131 ms", `{regex: 'time=[0-9.]+ ms or time=[0-9.]+ ms'}`},
		{"    cache expires 599sec mtu 1400", `{regex: '    cache expires \d+sec mtu 1400'}`},
		{"valid_lft 86390sec preferred_lft forever", `{regex: 'valid_lft \d+sec preferred_lft forever'}`},
		{"x_packets_total{a=\"b\"} 3", `{regex: 'x_packets_total\{a="b"\} [0-9.e+]+'}`},
		{"x_ready 1", "x_ready 1"},
		{"[12:3456] -A INPUT", `{regex: '\[\d+:\d+\] -A INPUT'}`},
		{"password [masked]!", `{regex: 'password .+!'}`},
	} {
		lines, ok := unify([]text{{[]string{c.came}, vars}}, true)
		require.True(t, ok)
		assert.Equal(t, c.want, writtenLine(lines[0]), c.came)
		assert.True(t, expects(t, lines[0], c.came, vars), "%s: %s", c.came, c.want)
	}
}

// expects judges a line as the loader would.
func expects(t *testing.T, l line, came string, vars map[string]string) bool {
	t.Helper()
	if l.plain() {
		ok, err := plan.Line{Literal: &plan.Template{Text: l.template()}, Min: 1, Max: 1}.Fits(came, vars)
		require.NoError(t, err)
		return ok
	}
	p, err := plan.NewPattern(l.expression())
	require.NoError(t, err)
	ok, err := plan.Line{Regex: &p, Min: 1, Max: 1}.Fits(came, vars)
	require.NoError(t, err)
	return ok
}

// Several outputs: of nodes, of rows, of attempts.
func TestUnify(t *testing.T) {
	row := func(lines, mode string) text {
		return text{strings.Split(lines, "\n"), map[string]string{"MODE": mode, "X": "x"}}
	}
	for _, c := range []struct {
		name  string
		texts []text
		want  string
	}{
		{"a variable of the rows", []text{row("mode=iptables", "iptables"), row("mode=ipvs", "ipvs")}, "'mode=${MODE}'"},
		{"it stays a word of its own", []text{row("mode=iptables2", "iptables"), row("mode=ipvs2", "ipvs")}, "{regex: '(?:mode=iptables2|mode=ipvs2)'}"},
		{"numbers", []text{row("took 812 ms", ""), row("took 95 ms", "")}, `{regex: 'took \d+ ms'}`},
		{"names of nodes", []text{row("on cp now", ""), row("on worker now", "")}, "{regex: 'on (?:cp|worker) now'}"},
		{"too many words", []text{row("a", ""), row("b", ""), row("c", ""), row("d", ""), row("e", "")}, ""},
		{"more words", []text{row("a b", ""), row("a", "")}, ""},
		{"more lines", []text{row("a\nb", ""), row("a", "")}, ""},
		{"blanks", []text{row("a  b1", ""), row("aa b2", "")}, `{regex: '(?:a|aa) +b\d+'}`},
		{"another kind", []text{row("at 10:11:12", ""), row("at never", "")}, "{regex: 'at (?:10:11:12|never)'}"},
	} {
		lines, ok := unify(c.texts, true)
		if c.want == "" {
			assert.False(t, ok, c.name)
			continue
		}
		if assert.True(t, ok, c.name) {
			assert.Equal(t, c.want, writtenLine(lines[0]), c.name)
		}
		for _, came := range c.texts {
			assert.True(t, expects(t, lines[0], came.lines[0], came.vars), c.name)
		}
	}
}

// Where a name is longer, the columns of a table move, its header's too.
func TestColumnsMove(t *testing.T) {
	lines, ok := unify([]text{{[]string{"NAME                   READY   AGE", "svr-7d4b9c6f5d-x2k8p   1/1     5s", "  two  blanks"}, nil}}, true)
	require.True(t, ok)
	assert.Equal(t, "{regex: 'NAME +READY +AGE'}", writtenLine(lines[0]))
	assert.Equal(t, `{regex: 'svr-[a-z0-9]+-[a-z0-9]{5} +1/1 +[0-9.a-zµ]+'}`, writtenLine(lines[1]))
	assert.Equal(t, "{regex: '  two +blanks'}", writtenLine(lines[2]))

	lines, ok = unify([]text{{[]string{"A   B", "c   d"}, nil}}, true)
	require.True(t, ok)
	assert.Equal(t, "'A   B'", writtenLine(lines[0]), "nothing moves")
}

// What a retry waited for is no coincidence; a large number is.
func TestEarlierAttempts(t *testing.T) {
	last := text{[]string{"1/1 ready after 812", "x 10:11:12"}, nil}
	assert.True(t, varies(last, text{[]string{"1/1 ready after 311", "x 10:11:09"}, nil}))
	assert.False(t, varies(last, text{[]string{"0/1 ready after 311", "x 10:11:09"}, nil}))
	assert.False(t, varies(last, text{[]string{"1/1 ready after 311"}, nil}))
}

// No kind is empty or unbounded, and each of them fits what it was found in.
func TestKindsCompile(t *testing.T) {
	for _, k := range kinds() {
		assert.Equal(t, 1, k.find.NumSubexp(), k.find)
		_, err := regexp.Compile(k.pattern("12:34:56.789"))
		assert.NoError(t, err)
	}
}
