package live

import (
	"context"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/plan"
	"labctl/internal/sample"
)

// shots is where a test leaves pictures of what it has seen.
var shots = flag.String("shots", "", "write screenshots into this `FOLDER`")

const recordedLab = "../../labs/conntrack-reset"

// recorded is a run on a real pair, with its lab.
func recorded(t *testing.T) (lab.Lab, []journal.Event) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(recordedLab, "lab.yaml"))
	require.NoError(t, err)
	l, err := lab.Parse("lab.yaml", content)
	require.NoError(t, err)
	events, err := journal.Read(filepath.Join(recordedLab, "recorded", "v1.37.2-6.12", journal.JournalFile))
	require.NoError(t, err)
	return l, events
}

// upTo are the events up to the first of a type that is about a step.
func upTo(t *testing.T, events []journal.Event, kind journal.Type, step string) []journal.Event {
	t.Helper()
	i := slices.IndexFunc(events, func(e journal.Event) bool { return e.Type == kind && e.Step == step })
	require.Positive(t, i, step)
	return slices.Clone(events[:i+1])
}

// since moves events so that the last of them is now.
func since(events []journal.Event) []journal.Event {
	events = slices.Clone(events)
	by := time.Since(events[len(events)-1].Time)
	for i := range events {
		events[i].Time = events[i].Time.Add(by)
	}
	return events
}

// served is a page with a server that a test can ask.
type served struct {
	*Page
	url string
	end func()
}

func serve(t *testing.T) *served {
	t.Helper()
	p, err := New()
	require.NoError(t, err)
	s, err := Listen(t.Context(), "127.0.0.1:0", p)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	var once bool
	end := func() {
		if !once {
			once = true
			cancel()
			require.NoError(t, <-ended)
		}
	}
	t.Cleanup(end)
	return &served{p, s.URL(), end}
}

func (s *served) get(t *testing.T, path string, change func(*http.Request)) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	require.NoError(t, err)
	if change != nil {
		change(r)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// failing makes a claim's step fail, as on a cluster where neither side holds.
func failing(events []journal.Event, step, claim string) []journal.Event {
	events = slices.Clone(events)
	for i, e := range events {
		if e.Type == journal.RunDone || e.Type == journal.PlanDone && e.Phase == journal.Steps {
			e.Verdict = "fail"
		}
		events[i] = e
		if e.Step != step {
			continue
		}
		switch e.Type {
		case journal.StepOutput:
			e.Verdict, e.Claims = "fail", slices.Clone(e.Claims)
			e.Checks = append(slices.Clone(e.Checks), journal.CheckResult{Verdict: "fail", Want: "stdout contains \"DROP\"", Got: strings.TrimSpace(e.Stdout)})
			for n := range e.Claims {
				if e.Claims[n].ID == claim {
					e.Claims[n].Checks = slices.Clone(e.Claims[n].Checks)
					for m := range e.Claims[n].Checks {
						e.Claims[n].Checks[m].Verdict = "fail"
					}
				}
			}
		case journal.StepDone:
			e.Verdict, e.Verdicts = "fail", map[string]plan.ClaimVerdict{claim: plan.Contested}
		}
		events[i] = e
	}
	return events
}

// seenNode is a node with as many lines as a small cluster has.
func seenNode(name string, changed bool) sample.Node {
	n := sample.Node{Name: name}
	for _, text := range strings.Split(strings.TrimSpace(rules), "\n") {
		l := sample.Line{Text: text}
		if changed && strings.Contains(text, "INVALID") {
			l.Gone = true
		}
		n.Rules.Lines = append(n.Rules.Lines, l)
	}
	for i, text := range strings.Split(strings.TrimSpace(connections), "\n") {
		n.Conns.Lines = append(n.Conns.Lines, sample.Line{Text: text, New: changed && i < 2})
	}
	n.Rules.Total, n.Conns.Total, n.Conns.Local = len(n.Rules.Lines), len(n.Conns.Lines), 41
	return n
}

const rules = `
mangle -A PREROUTING -j KUBE-PROXY-CANARY
filter -A INPUT -m conntrack --ctstate NEW -j KUBE-PROXY-FIREWALL # kubernetes load balancer firewall
filter -A INPUT -j KUBE-NODEPORTS # kubernetes health check service ports
filter -A INPUT -j KUBE-FIREWALL
filter -A FORWARD -m conntrack --ctstate NEW -j KUBE-PROXY-FIREWALL # kubernetes load balancer firewall
filter -A FORWARD -j KUBE-FORWARD # kubernetes forwarding rules
filter -A KUBE-FIREWALL ! -s 127.0.0.0/8 -d 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP # block incoming localnet connections
filter -A KUBE-FORWARD -m conntrack --ctstate INVALID -m nfacct --nfacct-name  ct_state_invalid_dropped_pkts -j DROP
filter -A KUBE-FORWARD -m mark --mark 0x4000/0x4000 -j ACCEPT # kubernetes forwarding rules
filter -A KUBE-FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT # kubernetes forwarding conntrack rule
nat -A PREROUTING -j KUBE-SERVICES # kubernetes service portals
nat -A OUTPUT -j KUBE-SERVICES # kubernetes service portals
nat -A POSTROUTING -j KUBE-POSTROUTING # kubernetes postrouting rules
nat -A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
nat -A KUBE-SEP-IT2ZTR26TO4XFPTO -s 10.244.0.2/32 -j KUBE-MARK-MASQ # kube-system/kube-dns:dns-tcp
nat -A KUBE-SEP-IT2ZTR26TO4XFPTO -p tcp -m tcp -j DNAT --to-destination 10.244.0.2:53 # kube-system/kube-dns:dns-tcp
nat -A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m tcp --dport 443 -j KUBE-SVC-NPX46M4PTMTKRN6Y # default/kubernetes:https cluster IP
nat -A KUBE-SERVICES -d 10.96.0.10/32 -p tcp -m tcp --dport 53 -j KUBE-SVC-ERIFXISQEP7F7OF4 # kube-system/kube-dns:dns-tcp cluster IP`

const connections = `
tcp ESTABLISHED 10.244.1.5:43210 → 10.96.0.10:80 ⇄ 10.244.1.7:8080
tcp SYN_SENT 10.244.1.5:43212 → 10.96.0.10:80 ⇄ 10.244.0.9:8080 [UNREPLIED]
tcp ESTABLISHED 10.10.10.131:40182 → 10.10.10.130:6443
tcp ESTABLISHED 10.10.10.1:51100 → 10.10.10.130:22
tcp TIME_WAIT 10.244.0.2:33410 → 10.96.0.1:443 ⇄ 10.10.10.130:6443 → 10.10.10.130:33410
udp 10.244.1.5:58211 → 10.96.0.10:53 ⇄ 10.244.0.2:53`
