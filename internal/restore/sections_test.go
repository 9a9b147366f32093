package restore

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNodeSections(t *testing.T) {
	pieces, err := split(raw(t, "node.raw"))
	require.NoError(t, err)
	sections, err := nodeSections("cp", pieces)
	require.NoError(t, err)
	golden(t, "node.golden", sections)
}

func TestAPISections(t *testing.T) {
	pieces, err := split(raw(t, "api.raw"))
	require.NoError(t, err)
	sections, err := apiSections("cp", pieces)
	require.NoError(t, err)
	golden(t, "api.golden", sections)
}

// Each is what an untouched cluster may show a minute later.
func TestNothingOfThisIsADifference(t *testing.T) {
	tests := map[string]struct{ file, old, new string }{
		"the count of connections":    {"node.raw", "net/netfilter/nf_conntrack_count:", "net/netfilter/nf_conntrack_count:9"},
		"packets of a chain":          {"node.raw", ":INPUT ACCEPT [", ":INPUT ACCEPT [9"},
		"the date of iptables-save":   {"node.raw", "2026\n", "2027\n"},
		"a Pod's interface is new":    {"node.raw", "veth62346c71", "veth0badcafe"},
		"the bridge's group timer":    {"node.raw", `"gc_timer":`, `"gc_timer":1`},
		"a link that is down":         {"node.raw", `"UP","LOWER_UP"`, `"UP","NO-CARRIER"`},
		"a route's expiry":            {"node.raw", "expires 1798sec", "expires 12sec"},
		"references of a queue":       {"node.raw", "root refcnt 2 ", "root refcnt 3 "},
		"the size of a set's hash":    {"node.raw", "hashsize 1024", "hashsize 2048"},
		"a set's initial value":       {"node.raw", "initval 0x9c178aab", "initval 0x1"},
		"what packets put into a set": {"node.raw", "elements = { 192.0.2.77 }", "elements = { 192.0.2.78 expires 3s }"},
		"the order in a set":          {"node.raw", "{ 192.0.2.5, 192.0.2.4 }", "{ 192.0.2.4, 192.0.2.5 }"},
		"the time of a restart":       {"api.raw", `"kubectl.kubernetes.io/restartedAt":"2026`, `"kubectl.kubernetes.io/restartedAt":"2027`},
		"Pods that were made anew":    {"api.raw", "coredns-559f6c778d-7jz4x", "coredns-559f6c778d-abcde"},
		"a ReplicaSet that was":       {"api.raw", "ReplicaSet/coredns-559f6c778d", "ReplicaSet/coredns-5c8d7f9b4"},
		"an EndpointSlice's name":     {"api.raw", "kube-dns-6rnzb", "kube-dns-zzzzz"},
		"a token that has expired":    {"api.raw", "Secret\tkube-system\tbootstrap-token-abcdef\tbootstrap.kubernetes.io/token\n", ""},
		"the next CronJob's Job":      {"api.raw", "nightly-29400000", "nightly-29400001"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := raw(t, test.file)
			require.Contains(t, before, test.old)
			a, b := read(t, test.file, before), read(t, test.file, strings.ReplaceAll(before, test.old, test.new))
			require.Empty(t, differences(a, b))
			require.Empty(t, remarks(a, b))
		})
	}
}

// read makes a fingerprint of one script's output.
func read(t *testing.T, file, text string) Fingerprint {
	t.Helper()
	pieces, err := split(text)
	require.NoError(t, err)
	reader := nodeSections
	if file == "api.raw" {
		reader = apiSections
	}
	sections, err := reader("cp", pieces)
	require.NoError(t, err)
	return Fingerprint{Sections: sections}
}

// kube-proxy writes the rules of KUBE-SERVICES in any order.
func TestOrderOfServicesIsNone(t *testing.T) {
	before := raw(t, "node.raw")
	lines := strings.Split(before, "\n")
	var at []int
	for i, line := range lines {
		if strings.HasPrefix(line, "-A KUBE-SERVICES -d ") {
			at = append(at, i)
		}
	}
	require.Greater(t, len(at), 1)
	lines[at[0]], lines[at[1]] = lines[at[1]], lines[at[0]]
	require.Empty(t, differences(read(t, "node.raw", before), read(t, "node.raw", strings.Join(lines, "\n"))))
}

func TestSplit(t *testing.T) {
	tests := map[string]struct{ out, err string }{
		"no end":          {"\x1ea\nx\n", "the output has no end"},
		"nothing":         {"", "the output has no end"},
		"something first": {"hello\n\x1ea\nx\n\x1eend\n", `the output begins with "hello"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := split(test.out)
			require.EqualError(t, err, test.err)
		})
	}
	pieces, err := split("\x1ea\n1\n2\n\x1eb\n\x1fno b here\n\x1ec\n\x1eend\n")
	require.NoError(t, err)
	require.Equal(t, map[string]piece{"a": {text: "1\n2\n"}, "b": {absent: "no b here"}, "c": {}}, pieces)
}

func TestSectionsThatAreNotThere(t *testing.T) {
	pieces, err := split("\x1einterfaces\n\x1esysctls\n\x1eend\n")
	require.NoError(t, err)
	_, err = nodeSections("cp", pieces)
	require.EqualError(t, err, "it shows no sysctl at all")

	pieces, err = split("\x1einterfaces\n\x1esysctls\nnet/ipv4/ip_forward:1\n\x1eend\n")
	require.NoError(t, err)
	_, err = nodeSections("cp", pieces)
	require.EqualError(t, err, `the output has no section "iptables"`)
	_, err = apiSections("cp", pieces)
	require.EqualError(t, err, `the output has no section "objects"`)

	pieces, err = split("\x1eobjects\n\x1eend\n")
	require.NoError(t, err)
	_, err = apiSections("cp", pieces)
	require.EqualError(t, err, "the API server lists no namespace")

	pieces, err = split("\x1eobjects\n\x1fthere is no /etc/kubernetes/admin.conf\n\x1eend\n")
	require.NoError(t, err)
	sections, err := apiSections("cp", pieces)
	require.NoError(t, err)
	require.Equal(t, []Section{{Cluster, API, []string{"not looked at: there is no /etc/kubernetes/admin.conf"}}}, sections)
}

// iptables-save covers the tables of its own backend, and says which it cannot read.
func TestNftablesCovered(t *testing.T) {
	ruleset := piece{text: "table ip filter {\n\tchain X {\n\t\taccept\n\t}\n}\n"}
	tests := map[string]struct {
		v4    piece
		shown bool
	}{
		"nft backend":     {piece{text: "iptables-save v1.8.11 (nf_tables)\n"}, false},
		"legacy backend":  {piece{text: "iptables-save v1.8.11 (legacy)\n"}, true},
		"no iptables":     {piece{absent: "iptables-save is not installed"}, true},
		"a table of nft":  {piece{text: "iptables-save v1.8.11 (nf_tables)\n# Table `filter' is incompatible, use 'nft' tool.\n"}, true},
		"another of nft":  {piece{text: "iptables-save v1.8.11 (nf_tables)\n# Table `nat' is incompatible, use 'nft' tool.\n"}, false},
		"no word from it": {piece{}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			lines := nftables(ruleset, test.v4, piece{})
			require.Equal(t, test.shown, len(lines) > 0, lines)
		})
	}
}
