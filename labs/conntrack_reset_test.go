package labs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/plan"
	"labctl/internal/remote"
)

// conntrackSamples are outputs made by hand after the shapes that 1.37 prints.
// Shows must pass; says is what the write-up expects instead, and must not.
var conntrackSamples = []struct {
	step       string
	exit       int
	stderr     string
	shows      string
	says       string
	saysExit   int
	saysStderr string
}{
	{step: "step-01", shows: `iptables
23:conntrack:
26:  tcpBeLiberal: false
50:mode: iptables
    "gitVersion": "v1.37.2",
    "gitVersion": "v1.37.2",
`, says: `iptables
50:mode: ""
    "gitVersion": "v1.37.2",
`},
	{step: "step-03", shows: svcRules + masqRule + svcChain, says: svcRules + svcChain},
	{step: "step-03c", shows: "3\n", says: "1\n"},
	{step: "step-04", shows: strings.Replace(conntrackEntry, "DPORT", "40213", 1), says: `conntrack: install ok installed
/usr/sbin/conntrack
net.netfilter.nf_conntrack_count = 240
net.netfilter.nf_conntrack_max = 131072
`},
	{step: "step-05", shows: `-A KUBE-FORWARD -m conntrack --ctstate INVALID -m nfacct --nfacct-name  ct_state_invalid_dropped_pkts -j DROP
[3:180] -A KUBE-FORWARD -m conntrack --ctstate INVALID -m nfacct --nfacct-name  ct_state_invalid_dropped_pkts -j DROP

Chain KUBE-FORWARD (1 references)
 pkts bytes target     prot opt in     out     source               destination
    3   180 DROP       0    --  *      *       0.0.0.0/0            0.0.0.0/0            ctstate INVALID nfacct-name  ct_state_invalid_dropped_pkts
`, says: "", saysExit: 1},
	{step: "step-06", shows: "1\n0\n" + metric, says: "0\n0\n", saysExit: 1},
	{step: "step-07", shows: `ls: cannot access '/proc/sys/net/ipv4/netfilter/ip_conntrack_tcp_be_liberal': No such file or directory
no such directory
net.netfilter.nf_conntrack_tcp_be_liberal = 0
`, says: `ls: cannot access '/proc/sys/net/ipv4/netfilter/ip_conntrack_tcp_be_liberal': No such file or directory
no such directory
net.netfilter.nf_conntrack_tcp_be_liberal = 1
`},
	{step: "step-08", shows: `25:    conntrack:
26-      maxPerCore: null
27-      min: null
28-      tcpBeLiberal: false
28:      tcpBeLiberal: true
`, says: "25:    conntrack:\n26-      maxPerCore: null\n", saysExit: 1},
	{step: "step-08d", shows: knob("1"), says: knob("0")},
	{step: "step-08e", exit: 1, says: "[0:0] -A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP\n"},
	// A pipe hides that its first command did not run: silence alone must not do.
	{step: "step-08e", exit: 1, saysExit: 1, saysStderr: "sudo: iptables-save: command not found\n"},
	{step: "step-09", exit: 1, stderr: `error: resource mapping not found for name: "startup-script" namespace: "" from "/tmp/post-ds.yaml": no matches for kind "DaemonSet" in version "extensions/v1beta1"
ensure CRDs are installed first
`, says: "daemonset.apps/startup-script created (server dry run)\n"},
	{
		step:  "step-10",
		shows: "== control plane 10.10.10.130\n" + metric + "== worker 10.10.10.131\n" + metric,
		says:  "== control plane 10.10.10.130\n" + zeroRule + metric + "== worker 10.10.10.131\n" + zeroRule + metric,
	},
	{step: "teardown-02", shows: knob("1"), says: knob("0")},
	{step: "teardown-05", shows: ":KUBE-FORWARD - [0:0]\n" + forwardRest, says: zeroRule + forwardRest},
	{step: "repair-04", shows: "net.netfilter.nf_conntrack_tcp_be_liberal = 0\n-A KUBE-FORWARD -m conntrack --ctstate INVALID -m nfacct --nfacct-name  ct_state_invalid_dropped_pkts -j DROP\n" + forwardRest, says: knob("0") + forwardRest},
	{step: "repair-05", says: "pod/svr-5d4f7c8b9-x2x7q\n"},
}

const (
	svcRules = `-A KUBE-SERVICES -d 10.98.11.7/32 -p tcp -m comment --comment "default/svr cluster IP" -m tcp --dport 8080 -j KUBE-SVC-L6OKMBJ2BZMSJIBJ
`
	masqRule = `-A KUBE-SVC-L6OKMBJ2BZMSJIBJ ! -s 10.244.0.0/16 -d 10.98.11.7/32 -p tcp -m comment --comment "default/svr cluster IP" -m tcp --dport 8080 -j KUBE-MARK-MASQ
`
	svcChain = `svc chain=KUBE-SVC-L6OKMBJ2BZMSJIBJ
-A KUBE-SVC-L6OKMBJ2BZMSJIBJ -m comment --comment "default/svr -> 10.244.1.4:8080" -j KUBE-SEP-7EX3YM24AF6JH4A3
-A KUBE-SEP-7EX3YM24AF6JH4A3 -p tcp -m comment --comment "default/svr" -m tcp -j DNAT --to-destination 10.244.1.4:8080
deployment.apps/svr scaled
`
	conntrackEntry = `conntrack: install ok installed
/usr/sbin/conntrack
tcp      6 117 TIME_WAIT src=10.10.10.130 dst=10.98.11.7 sport=51414 dport=8080 src=10.244.1.4 dst=10.10.10.130 sport=8080 dport=DPORT [ASSURED] mark=0 use=1
net.netfilter.nf_conntrack_count = 240
net.netfilter.nf_conntrack_max = 131072
`
	metric = `# HELP kubeproxy_iptables_ct_state_invalid_dropped_packets_total [ALPHA] packets dropped by iptables to work around conntrack problems
# TYPE kubeproxy_iptables_ct_state_invalid_dropped_packets_total counter
kubeproxy_iptables_ct_state_invalid_dropped_packets_total 0
`
	zeroRule    = "[0:0] -A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP\n"
	forwardRest = "-A KUBE-FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n"
)

func knob(value string) string {
	return strings.Repeat("net.netfilter.nf_conntrack_tcp_be_liberal = "+value+"\n", 2)
}

func TestConntrackResetTellsWhatIsFromWhatIsSaid(t *testing.T) {
	l, err := Open("conntrack-reset")
	require.NoError(t, err)
	steps := map[string]plan.Step{}
	for _, s := range allSteps(l) {
		steps[s.ID] = s
	}
	for _, c := range conntrackSamples {
		t.Run(c.step, func(t *testing.T) {
			s, ok := steps[c.step]
			require.True(t, ok)
			shown := s.Judge(remote.Output{Exit: c.exit, Stdout: []byte(c.shows), Stderr: []byte(c.stderr)})
			assert.Equal(t, plan.Pass, shown.Verdict, "%+v", shown.Results)
			said := s.Judge(remote.Output{Exit: c.saysExit, Stdout: []byte(c.says), Stderr: []byte(c.saysStderr)})
			assert.Equal(t, plan.Fail, said.Verdict, "%+v", said.Results)
		})
	}
}
