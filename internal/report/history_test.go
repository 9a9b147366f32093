package report_test

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/compare"
	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/report"
)

// aNight is the n-th run of a lab of three steps and three claims.
func aNight(n int) compare.Run {
	at := began.AddDate(0, 0, n)
	run := aRun()
	run.ID = "conntrack-reset/" + at.Format("20060102T150405Z")
	r := journal.Result{
		Run: run, Started: at, Ended: at.Add(5 * time.Minute), Complete: true, Verdict: "pass", Seconds: 300 + float64(n*7%5),
		Plans: []journal.PlanResult{{Phase: journal.Steps, Name: "steps", Verdict: "pass", Steps: []journal.StepResult{
			aStep("step-01", "Establish what mode this kube-proxy is in", 0, 3+float64(n%3), "curl\n", "iptables\n", "exit code 0"),
			aStep("step-02", "Put a Service across the node boundary", 5, 20+float64(n*10), "kubectl\n", "created\n", "exit code 0"),
			aStep("step-03", "Wait until the rule is on both nodes", 30, 40, "iptables-save\n", "4\n", "exit code 0"),
		}}},
		Claims: []journal.ClaimRow{
			{ClaimInfo: journal.ClaimInfo{ID: "A39", Where: "step 1", Text: "The mode is iptables.", Step: "step-01"}, Verdict: plan.Holds, Showed: "cp: iptables"},
			{ClaimInfo: journal.ClaimInfo{ID: "A40", Where: "step 1", Text: "The mode line in the ConfigMap is absent or an empty string.", Step: "step-01"}, Verdict: plan.Holds, Showed: `cp: mode: ""`},
			{ClaimInfo: journal.ClaimInfo{ID: "A77", Where: "step 9", Text: "There is a typo.", Fixed: plan.AboutPaper}, Verdict: plan.AboutPaper},
		},
		Counts:  map[plan.ClaimVerdict]int{plan.Holds: 2, plan.AboutPaper: 1},
		Restore: journal.Restore{Verdict: journal.Restored, By: journal.AfterRepair},
	}
	return compare.Run{Folder: "runs/" + run.ID, Result: r, File: "0123456789ab", Limits: map[string]compare.Limit{
		"step-02": {Attempt: 20 * time.Second}, "step-03": {Attempt: time.Minute},
	}}
}

// nights are runs with all that a history tells: on two kernels and accelerators,
// a claim that moves with Kubernetes, a flaky step, a margin that shrinks, and
// runs that are not whole.
func nights() []compare.Run {
	var all []compare.Run
	for n := range 14 {
		r := aNight(n)
		if n < 5 {
			r.Run.Kubernetes = "v1.36.4"
		} else {
			r.Claims[1].Verdict, r.Claims[1].Showed = plan.Moved, "cp: mode: iptables"
			r.Counts = map[plan.ClaimVerdict]int{plan.Holds: 1, plan.Moved: 1, plan.AboutPaper: 1}
		}
		switch n {
		case 3, 8:
			r.Run.Accelerator, r.Run.Scale, r.Seconds = "kvm", 1, 31
		case 6:
			r.Run.Nodes = []journal.Node{{Name: "cp", Kernel: "6.1.148+deb12-cloud-amd64"}}
		case 7:
			r.Verdict, r.Plans[0].Steps[2].Verdict = "fail", "fail"
		case 9:
			r.Interrupted = "INT"
		case 10:
			r.Run.Only = []string{"step-01"}
		case 11:
			r.Run.Drill = &journal.DrillInfo{ID: "d", Number: 1, Of: 2}
		case 12:
			r = compare.Run{Folder: "runs/conntrack-reset/20260114T030405Z", Damage: "it has no journal"}
		}
		all = append(all, r)
	}
	return all
}

func TestDiffGolden(t *testing.T) {
	before, after := aNight(1), aNight(6)
	after.Run.Kubernetes, before.Run.Kubernetes = "v1.37.2", "v1.36.4"
	after.Claims[1].Verdict, after.Claims[1].Showed = plan.Moved, "cp: mode: iptables"
	after.Plans[0].Steps[2] = contested()
	d, err := compare.Two(before, after)
	require.NoError(t, err)
	var b bytes.Buffer
	report.Diff(&b, d, before.Result, after.Result)
	golden(t, "diff.txt", b.Bytes())
	for l := range strings.Lines(b.String()) {
		assert.LessOrEqual(t, len([]rune(l)), 121, l)
	}
}

func TestDiffSaysThatNothingDiffers(t *testing.T) {
	said := func(a, b compare.Run) string {
		d, err := compare.Two(a, b)
		require.NoError(t, err)
		var out bytes.Buffer
		report.Diff(&out, d, a.Result, b.Result)
		return out.String()
	}
	assert.Contains(t, said(aNight(1), aNight(1)), "lab conntrack-reset: no verdict differs\n")
	kvm := aNight(1)
	kvm.Run.Accelerator = "kvm"
	assert.Contains(t, said(aNight(1), kvm), "times on tcg and on kvm are not comparable")
	killed := aNight(1)
	killed.Complete = false
	assert.Contains(t, said(killed, killed), "nobody can tell")
}

func TestHistoryGolden(t *testing.T) {
	all := compare.Histories(nights())
	require.Len(t, all, 1)
	var b bytes.Buffer
	report.History(&b, all[0])
	golden(t, "history.txt", b.Bytes())
	for l := range strings.Lines(b.String()) {
		assert.LessOrEqual(t, len([]rune(l)), 121, l)
	}
	golden(t, "history.html", historyPage(t, nights()))
}

func historyPage(t *testing.T, runs []compare.Run) []byte {
	t.Helper()
	page, err := report.HistoryHTML(compare.Histories(runs))
	require.NoError(t, err)
	return page
}

// hostileNights have markup and worse wherever a run has text.
func hostileNights() []compare.Run {
	const evil = "</td><script>alert(1)</script> \x1b[31m\u202e\xff" + `" onload="x`
	runs := nights()
	for i := range runs {
		r := &runs[i]
		r.Folder, r.File = evil, evil
		r.Run.Lab, r.Run.ID, r.Run.Kubernetes, r.Run.Accelerator = evil, evil+fmt.Sprint(i), evil, evil
		r.Run.Nodes = []journal.Node{{Kernel: evil + fmt.Sprint(i%2)}}
		r.Damage, r.Restore.By, r.Restore.Verdict = r.Damage+evil, journal.Stage(evil), evil
		for j := range r.Claims {
			c := &r.Claims[j]
			c.ID, c.Text, c.Where = evil+c.ID, evil, evil
			c.Verdict = plan.ClaimVerdict(evil + fmt.Sprint(i%3))
		}
		for j := range r.Plans {
			for k := range r.Plans[j].Steps {
				s := &r.Plans[j].Steps[k]
				s.ID, s.Title = evil+s.ID, strings.Repeat(evil, 40)
			}
		}
	}
	return runs
}

func TestHistoryPageIsAlone(t *testing.T) {
	for kind, runs := range map[string][]compare.Run{"nights": nights(), "hostile": hostileNights(), "none": nil} {
		t.Run(kind, func(t *testing.T) {
			html := string(historyPage(t, runs))
			assert.NotContains(t, html, "<script")
			assert.NotRegexp(t, `<[a-z][^>"]*("[^"]*"[^>"]*)* on[a-z]+=`, html)
			assert.NotContains(t, html, "ZgotmplZ", "html/template refused something")
			assert.NotContains(t, html, "\u202e")
			ids := map[string]bool{}
			for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(html, -1) {
				assert.False(t, ids[m[1]], "two are called %s", m[1])
				ids[m[1]] = true
			}
			for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(html, -1) {
				u, err := url.Parse(m[1])
				require.NoError(t, err)
				assert.Empty(t, u.Host, m[0])
				if u.Scheme != "data" {
					assert.True(t, ids[u.Fragment], m[0])
				}
			}
		})
	}
}

func TestHistoryPageTells(t *testing.T) {
	html := string(historyPage(t, nights()))
	for _, want := range []string{
		`<p class="word">pass</p>`, "1 flaky step, 1 margin that shrinks, 2 changed verdicts",
		`<b class="badge v-holds">holds</b> → <b class="badge v-moved">moved</b>`, "Kubernetes v1.36.4 → v1.37.2",
		"<title>Seconds of a whole run</title>", "<title>The slowest steps on 6.12.57 · tcg</title>",
		"seconds, logarithmic", "damaged: it has no journal", "interrupted by INT", "1 of 5 (20 %)",
		"2 min 30 s/2 min 40 s (94 %)",
		"2 claims with one verdict in all of these runs that judged them",
	} {
		assert.Contains(t, html, want)
	}
	assert.Contains(t, html, "the newest: run 14, ")
	drilled := nights()
	drilled[13].Run.Drill = &journal.DrillInfo{ID: "d"}
	assert.Contains(t, string(historyPage(t, drilled)), "the newest: run 13, ", "a drill says nothing of the lab")
	other := nights()[:2]
	for i := range other {
		other[i].Run.Lab, other[i].Run.ID = "the-reset", fmt.Sprint("the-reset/", i)
	}
	html = string(historyPage(t, append(other, nights()...)))
	assert.Contains(t, html, `<a href="#lab1">the-reset</a>`)
	assert.Contains(t, html, "<h2>the-reset</h2>")
}

func TestHistoryPageInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser: run without -short, with chromium there, as `make test` does")
	}
	probe := `<script>
		const say = (name, value) => document.documentElement.setAttribute("data-" + name, value)
		document.querySelectorAll("details").forEach(d => d.open = true)
		say("wide", document.documentElement.scrollWidth > document.documentElement.clientWidth)
		say("cells", [...document.querySelectorAll(".grid td[class]")].every(c => c.offsetHeight >= 16 && c.offsetWidth >= 16))
	</script></body>`
	for _, c := range []struct {
		kind, size string
		runs       []compare.Run
	}{{"nights", "1280,800", nights()}, {"hostile", "1280,800", hostileNights()}, {"hostile", "500,800", hostileNights()}} {
		t.Run(c.kind+" "+c.size, func(t *testing.T) {
			html := string(historyPage(t, c.runs))
			_, console := browser(t, html)
			assert.Empty(t, console, "its policy lets it be")
			html = policyTag.ReplaceAllString(html, "")
			dom, _ := browser(t, strings.Replace(html, "</body>", probe, 1), "--window-size="+c.size)
			head, _, _ := strings.Cut(dom, "<head>")
			assert.Contains(t, head, `data-wide="false"`)
			assert.Contains(t, head, `data-cells="true"`)
		})
	}
}
