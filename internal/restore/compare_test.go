package restore

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
)

func one(name string, lines ...string) Fingerprint {
	return Fingerprint{Sections: []Section{{"n", name, lines}}}
}

func TestCompare(t *testing.T) {
	in := func(section string, missing, extra []string) []journal.Difference {
		return []journal.Difference{{Node: "n", Section: section, Missing: missing, Extra: extra}}
	}
	lines := func(l ...string) []string { return l }
	const a, b, c = "-t nat -A INPUT -j A", "-t nat -A INPUT -j B", "-t nat -A INPUT -j C"
	const cni, v = "cni0 bridge mtu 1500 UP", "net.ipv4.vs.conntrack"
	tests := map[string]struct {
		base, now            Fingerprint
		differences, remarks []journal.Difference
	}{
		"nothing":                 {one(Tmp, "x"), one(Tmp, "x"), nil, nil},
		"another time":            {Fingerprint{}, Fingerprint{}, nil, nil},
		"a line more":             {one(Tmp, "x"), one(Tmp, "x", "y"), in(Tmp, nil, lines("y")), nil},
		"a line less":             {one(Tmp, "x", "y"), one(Tmp, "y"), in(Tmp, lines("x"), nil), nil},
		"once more":               {one(Workloads, "p"), one(Workloads, "p", "p"), in(Workloads, nil, lines("p")), nil},
		"sorted otherwise":        {one(Tmp, "x", "y"), one(Tmp, "y", "x"), nil, nil},
		"a section that is gone":  {one(Tmp, "x"), Fingerprint{}, in(Tmp, lines("x"), nil), nil},
		"a section that is new":   {Fingerprint{}, one(Tmp, "x"), in(Tmp, nil, lines("x")), nil},
		"a rule first":            {one(Iptables, a, b), one(Iptables, c, a, b), in(Iptables, nil, lines(c)), nil},
		"rules the other way":     {one(Iptables, a, b), one(Iptables, b, a), in("iptables, order in nat INPUT", lines("1. "+a, "2. "+b), lines("1. "+b, "2. "+a)), nil},
		"a rule twice, elsewhere": {one(Iptables, a, b, a), one(Iptables, a, a, b), in("iptables, order in nat INPUT", lines("2. "+b, "3. "+a), lines("2. "+a, "3. "+b)), nil},
		"chains the other way":    {one(Iptables, "-t nat -N X", "-t nat -N Y"), one(Iptables, "-t nat -N Y", "-t nat -N X"), nil, nil},
		"a file's lines":          {one(ProxyConfig, "f: x: 1", "f: y: 1"), one(ProxyConfig, "f: y: 1", "f: x: 1"), in("configmap kube-proxy, order in f", lines("1. f: x: 1", "2. f: y: 1"), lines("1. f: y: 1", "2. f: x: 1")), nil},
		"nft rules":               {one(Nftables, "table ip t chain c: x", "table ip t chain c: y"), one(Nftables, "table ip t chain c: y", "table ip t chain c: x"), in("nftables, order in table ip t chain c", lines("1. table ip t chain c: x", "2. table ip t chain c: y"), lines("1. table ip t chain c: y", "2. table ip t chain c: x")), nil},
		"a module more":           {one(Modules, "x"), one(Modules, "ip_set", "x"), nil, in(Modules, nil, lines("ip_set"))},
		"a module less":           {one(Modules, "ip_set", "x"), one(Modules, "x"), nil, in(Modules, lines("ip_set"), nil)},
		"a module that is needed": {one(Modules, "br_netfilter"), one(Modules), in(Modules, lines("br_netfilter"), nil), nil},
		"modules not looked at":   {one(Modules, "x"), one(Modules, notLookedAt+"y"), in(Modules, nil, lines(notLookedAt+"y")), in(Modules, lines("x"), nil)},
		"a sysctl's value":        {one(Sysctls, v+" = 0"), one(Sysctls, v+" = 1"), in(Sysctls, lines(v+" = 0"), lines(v+" = 1")), nil},
		"a sysctl more":           {one(Sysctls), one(Sysctls, v+" = 1"), nil, in(Sysctls, nil, lines(v+" = 1"))},
		"a sysctl less":           {one(Sysctls, v+" = 1"), one(Sysctls), nil, in(Sysctls, lines(v+" = 1"), nil)},
		"the first Pod's bridge":  {one(Interfaces), one(Interfaces, cni, "cni0 inet 10.0.0.1/24"), nil, in(Interfaces, nil, lines(cni, "cni0 inet 10.0.0.1/24"))},
		"and its Pod":             {one(Interfaces), one(Interfaces, cni, "interfaces of Pods: 1, master cni0"), in(Interfaces, nil, lines("interfaces of Pods: 1, master cni0")), in(Interfaces, nil, lines(cni))},
		"the bridge's address":    {one(Interfaces, cni), one(Interfaces, cni, "cni0 inet 10.0.0.1/24"), in(Interfaces, nil, lines("cni0 inet 10.0.0.1/24")), nil},
		"another bridge":          {one(Interfaces), one(Interfaces, "br0 bridge mtu 1500 UP"), in(Interfaces, nil, lines("br0 bridge mtu 1500 UP")), nil},
		"the bridge's route":      {one(Routes), one(Routes, "10.0.0.0/24 dev cni0 proto kernel scope link"), nil, in(Routes, nil, lines("10.0.0.0/24 dev cni0 proto kernel scope link"))},
		"a route over it":         {one(Routes), one(Routes, "10.9.0.0/24 via 10.0.0.2 dev cni0"), in(Routes, nil, lines("10.9.0.0/24 via 10.0.0.2 dev cni0")), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before, after := clone(t, test.base), clone(t, test.now)
			require.Equal(t, test.differences, differences(test.base, test.now))
			require.Equal(t, test.remarks, remarks(test.base, test.now))
			require.Equal(t, before, clone(t, test.base), "the baseline was changed")
			require.Equal(t, after, clone(t, test.now))
		})
	}
}

// Each of these is something that a lab does, and one difference.
func TestWhatLabsDo(t *testing.T) {
	tests := map[string]struct {
		file, old, new string
		want           journal.Difference
	}{
		"liberal mode stays on": {"node.raw", "be_liberal:0", "be_liberal:1", journal.Difference{
			Node: "cp", Section: Sysctls,
			Missing: []string{"net.netfilter.nf_conntrack_tcp_be_liberal = 0"},
			Extra:   []string{"net.netfilter.nf_conntrack_tcp_be_liberal = 1"},
		}},
		"strict ARP stays on": {"node.raw", "conf/all/arp_ignore:0", "conf/all/arp_ignore:1", journal.Difference{
			Node: "cp", Section: Sysctls, Missing: []string{"net.ipv4.conf.all.arp_ignore = 0"}, Extra: []string{"net.ipv4.conf.all.arp_ignore = 1"},
		}},
		"a virtual server": {"node.raw", "-A -t 10.96.0.10:53 -s rr\n", "-A -t 10.96.0.10:53 -s rr\n-A -t 10.96.0.1:443 -s rr\n", journal.Difference{
			Node: "cp", Section: IPVS, Extra: []string{"-A -t 10.96.0.1:443 -s rr"},
		}},
		"kube-proxy's configuration": {"api.raw", `tcpBeLiberal: true`, `tcpBeLiberal: false`, journal.Difference{
			Node: Cluster, Section: ProxyConfig,
			Missing: []string{"config.conf:   tcpBeLiberal: true"}, Extra: []string{"config.conf:   tcpBeLiberal: false"},
		}},
		"a namespace on its way out": {"api.raw", "Namespace\t\tkube-public\tActive", "Namespace\t\tkube-public\tTerminating", journal.Difference{
			Node: Cluster, Section: Namespaces, Missing: []string{"kube-public Active"}, Extra: []string{"kube-public Terminating"},
		}},
		"a CRD": {"api.raw", "CustomResourceDefinition\t\tipaddresspools.metallb.io\n", "", journal.Difference{
			Node: Cluster, Section: ClusterObjects, Missing: []string{"customresourcedefinition ipaddresspools.metallb.io"},
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := raw(t, test.file)
			require.Contains(t, before, test.old)
			a, b := read(t, test.file, before), read(t, test.file, strings.Replace(before, test.old, test.new, 1))
			require.Equal(t, []journal.Difference{test.want}, differences(a, b))
		})
	}
}

// A rule that was deleted and put back at the end of its chain.
func TestRuleMoved(t *testing.T) {
	const invalid = "-t filter -A KUBE-FORWARD -m conntrack --ctstate INVALID -m nfacct --nfacct-name  ct_state_invalid_dropped_pkts -j DROP"
	base := read(t, "node.raw", raw(t, "node.raw"))
	without, moved := clone(t, base), clone(t, base)

	s := without.section(t, "cp", Iptables)
	at := slices.Index(s.Lines, invalid)
	require.Positive(t, at)
	s.Lines = slices.Delete(s.Lines, at, at+1)
	require.Equal(t, []journal.Difference{{Node: "cp", Section: Iptables, Missing: []string{invalid}}}, differences(base, without))

	s = moved.section(t, "cp", Iptables)
	s.Lines = slices.Insert(slices.Delete(s.Lines, at, at+1), at+2, invalid)
	left := differences(base, moved)
	require.Len(t, left, 1)
	require.Equal(t, "iptables, order in filter KUBE-FORWARD", left[0].Section)
	require.Equal(t, "1. "+invalid, left[0].Missing[0])
	require.Equal(t, "3. "+invalid, left[0].Extra[2])
}

// The first restart of kube-proxy makes the map of annotations, too.
func TestFirstRestart(t *testing.T) {
	text := raw(t, "api.raw")
	from := strings.Index(text, `"annotations":{"kubectl.kubernetes.io/restartedAt":`)
	require.Positive(t, from)
	to := from + strings.Index(text[from:], "},") + 2
	require.Empty(t, differences(read(t, "api.raw", text[:from]+text[to:]), read(t, "api.raw", text)))
}
