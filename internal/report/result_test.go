package report_test

import (
	"fmt"
	"strings"
	"time"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// at is so many seconds after the run began.
func at(seconds float64) time.Time { return began.Add(time.Duration(seconds * float64(time.Second))) }

func aRun() journal.Run {
	return journal.Run{
		ID:       "conntrack-reset/20260102T030405Z",
		Lab:      "conntrack-reset",
		Title:    "kube-proxy subtleties: the two mitigations of the intermittent connection reset",
		Writeup:  "The exercise on an intermittent connection reset, ten steps and a teardown.",
		Labctl:   "v0.3.0",
		Pair:     "pair",
		Topology: "pair",
		Nodes: []journal.Node{
			{Name: "cp", Role: "control-plane", Address: "10.10.10.130", Kernel: "6.12.57+deb13-cloud-amd64", Offset: 0.021},
			{Name: "worker", Role: "worker", Address: "10.10.10.131", Kernel: "6.12.57+deb13-cloud-amd64", Offset: -0.004},
		},
		Hypervisor:  "private",
		Accelerator: "tcg",
		Image:       "pair-0123456789ab",
		Kubernetes:  "v1.37.2",
		Scale:       8,
	}
}

func passedCheck(want string) journal.CheckResult {
	return journal.CheckResult{Verdict: "pass", Want: want, Pos: "lab.yaml:12:9"}
}

// aStep is one that passed on the control plane.
func aStep(id, title string, from, took float64, script, stdout string, checks ...string) journal.StepResult {
	a := journal.Attempt{
		Node: "cp", Number: 1, Time: at(from), Verdict: "pass", Script: script, Stdout: stdout, Seconds: took,
		StdoutFile: "steps/" + id + "/cp.1.stdout",
	}
	for _, c := range checks {
		a.Checks = append(a.Checks, passedCheck(c))
	}
	return journal.StepResult{ID: id, Title: title, Verdict: "pass", Seconds: took, Started: at(from), Attempts: []journal.Attempt{a}}
}

// realistic is a whole run: twelve steps, a claim of each verdict, a teardown
// that leaves something behind, and a repair that puts it right.
func realistic() journal.Result {
	steps := []journal.StepResult{
		aStep("step-01", "Establish what mode this kube-proxy is in", 0, 3.214, "curl -s http://127.0.0.1:10249/proxyMode; echo\n", "iptables\n", "exit code 0", `stdout matches /\Aiptables$/`),
		aStep("step-02", "Put a Service across the node boundary", 3.5, 6.02, "kubectl create deployment svr --image=registry.k8s.io/e2e-test-images/agnhost:2.53\n", "deployment.apps/svr created\n", "exit code 0"),
		rollout(),
		aStep("step-04", "Find the drop rule", 61, 1.9, "sudo iptables-save | grep INVALID\n", "-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP\n", "exit code 0", `stdout contains "INVALID"`),
		aStep("step-05", "Turn liberal mode on", 63, 54.4, "kubectl -n kube-system edit cm kube-proxy\n", "configmap/kube-proxy edited\n", "exit code 0"),
		contested(),
		ambiguous(),
		{ID: "step-08", Title: "Count what was dropped", Verdict: "skipped", Error: "nothing to count without a capture", Started: at(140)},
		{ID: "step-09", Title: "Read the counters", Verdict: "not run"},
	}
	steps[2].Group = "the good flow"
	steps[3].Group = "the good flow"
	steps[3].Verdicts = map[string]plan.ClaimVerdict{"A57": plan.Holds}
	steps[3].Attempts[0].Claims = []journal.ClaimResult{{ID: "A57", Says: "pass", Checks: []journal.CheckResult{passedCheck(`stdout matches /^-A KUBE-FORWARD .*INVALID/`)}}}
	steps[1].Captured = map[string]string{"W": "worker", "TOKEN": "***"}
	left := []journal.Difference{
		{Node: "cp", Section: "sysctl", Missing: []string{"net.netfilter.nf_conntrack_tcp_be_liberal = 0"}, Extra: []string{"net.netfilter.nf_conntrack_tcp_be_liberal = 1"}},
		{Node: "worker", Section: "iptables", Missing: []string{"-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP"}},
		{Node: "cluster", Section: "configmap kube-proxy", Missing: []string{"  tcpBeLiberal: false"}, Extra: []string{"  tcpBeLiberal: true"}},
	}
	return journal.Result{
		Run: aRun(), Started: began, Ended: at(236.5), Complete: true, ExitCode: 2, Verdict: "error", Seconds: 236.5,
		Plans: []journal.PlanResult{
			{Phase: journal.Steps, Name: "steps", Title: "the write-up's steps", Verdict: "error", Seconds: 141.2, Steps: steps},
			{Phase: journal.Teardown, Name: "teardown", Title: "the write-up's teardown", Verdict: "pass", Seconds: 40.1, Steps: []journal.StepResult{
				aStep("teardown-01", "Delete the deployment", 142, 10.5, "kubectl delete deployment svr\n", "deployment.apps \"svr\" deleted\n", "exit code 0"),
				aStep("teardown-02", "Restart kube-proxy", 153, 29, "kubectl -n kube-system rollout restart ds kube-proxy\n", "", "exit code 0"),
			}},
			{Phase: journal.Repair, Name: "repair", Title: "what the teardown leaves", Verdict: "pass", Seconds: 50, Steps: []journal.StepResult{
				aStep("repair-01", "Put the ConfigMap back", 185, 49.7, "kubectl -n kube-system replace -f kube-proxy.yaml\n", "configmap/kube-proxy replaced\n", "exit code 0"),
			}},
		},
		Claims: claims(),
		Counts: map[plan.ClaimVerdict]int{"holds": 1, "moved": 1, "wrong": 1, "answered": 1, "failed": 1, "error": 1, "not shown here": 1, "about a document": 1, "not judged": 1},
		Restore: journal.Restore{
			Verdict: journal.Restored, By: journal.AfterRepair,
			Left: map[journal.Stage][]journal.Difference{journal.AfterTeardown: left},
		},
	}
}

// rollout passes on both nodes, on one of them at the third attempt.
func rollout() journal.StepResult {
	s := journal.StepResult{ID: "step-03", Title: "Wait until the rule is on both nodes", Verdict: "pass", Seconds: 48.7, Started: at(10), Notes: []string{"waiting for kube-proxy"}}
	script := "sudo iptables-save | grep -c svr\n"
	for i := range 3 {
		a := journal.Attempt{Node: "worker", Number: i + 1, Time: at(10 + float64(i)*16), Script: script, Verdict: "fail", Exit: 1, Stdout: "0\n", Seconds: 2.1,
			Checks: []journal.CheckResult{{Verdict: "fail", Want: "exit code 0", Got: "exit code 1", Pos: "lab.yaml:40:5"}}}
		if i == 2 {
			a.Verdict, a.Exit, a.Stdout, a.Checks = "pass", 0, "4\n", []journal.CheckResult{passedCheck("exit code 0")}
		}
		s.Attempts = append(s.Attempts, a)
		if i == 0 {
			b := a
			b.Node, b.Verdict, b.Exit, b.Stdout, b.Checks = "cp", "pass", 0, "4\n", []journal.CheckResult{passedCheck("exit code 0")}
			s.Attempts = append(s.Attempts, b)
		}
	}
	return s
}

// contested fails: neither what the claim says nor what is known instead.
func contested() journal.StepResult {
	return journal.StepResult{
		ID: "step-06", Title: "Look for the rule once more", Verdict: "fail", Seconds: 2.75, Started: at(118), Hint: "see: labctl ssh cp -- sudo iptables-save",
		Verdicts: map[string]plan.ClaimVerdict{"A76": plan.Contested},
		Attempts: []journal.Attempt{{
			Node: "cp", Number: 1, Time: at(118), Verdict: "fail", Exit: 0, Seconds: 2.75,
			Script: "sudo iptables-save -t filter |\n  grep KUBE-FORWARD\n",
			Stdout: ":KUBE-FORWARD - [0:0]\n-A FORWARD -j KUBE-FORWARD\n", Stderr: "# Warning: iptables-legacy tables present\n",
			StdoutFile: "steps/step-06/cp.1.stdout", StderrFile: "steps/step-06/cp.1.stderr",
			Checks: []journal.CheckResult{
				passedCheck("exit code 0"),
				{Verdict: "fail", Want: "claim A76: what it says, or what is known instead", Got: "neither", Pos: "lab.yaml:88:9"},
			},
			Claims: []journal.ClaimResult{{ID: "A76", Says: "fail", Shows: "fail", Checks: []journal.CheckResult{
				{Verdict: "fail", Want: `stdout contains "INVALID"`, Got: ":KUBE-FORWARD - [0:0]\n-A FORWARD -j KUBE-FORWARD", Pos: "lab.yaml:92:13"},
				{Verdict: "fail", Want: "stdout is empty", Got: ":KUBE-FORWARD - [0:0]", Pos: "lab.yaml:95:13"},
			}}},
		}},
	}
}

// ambiguous could not be judged: the connection was lost.
func ambiguous() journal.StepResult {
	return journal.StepResult{
		ID: "step-07", Title: "Send what is out of the window", Verdict: "error", Seconds: 16, Started: at(122),
		Error: `running on "worker": connection lost: no answer for 15s`,
		Attempts: []journal.Attempt{{Node: "worker", Number: 1, Time: at(122), Verdict: "error", Script: "sudo python3 inject.py\n", Stdout: "sending\n", TimedOut: true, Held: true, Dropped: 7, Elided: 4096, Seconds: 16,
			Error: "connection lost: no answer for 15s"}},
	}
}

func claims() []journal.ClaimRow {
	row := func(id, where, text, step string, v plan.ClaimVerdict, showed, because string) journal.ClaimRow {
		c := journal.ClaimRow{ClaimInfo: journal.ClaimInfo{ID: id, Where: where, Text: text, Step: step, Because: because}, Verdict: v, Showed: showed}
		if step == "" {
			c.Fixed = v
		}
		return c
	}
	return []journal.ClaimRow{
		row("A57", "step 5", "In iptables mode there is a rule that drops what is INVALID.", "step-04", plan.Holds, `stdout matches /^-A KUBE-FORWARD .*INVALID/`, ""),
		row("A12", "step 1", "On a default cluster the line with the mode is absent or an empty string.", "step-01", plan.Moved, "12:mode: iptables", "kubeadm writes the mode since 1.37; up to 1.36 it wrote an empty string."),
		row("A31", "step 3", "The Pod's packets carry the node's address.", "step-03", plan.Wrong, "10.244.1.7", "There is no overlay on this pair, so a capture shows the Pod's own address."),
		row("A77", "step 8", "Is the drop rule still installed in liberal mode?", "step-05", plan.Answered, "no line matches /INVALID/", "No: kube-proxy leaves it out since 1.18."),
		row("A76", "step 6", "The rule stays where it is when the mode changes.", "step-06", plan.Contested, ":KUBE-FORWARD - [0:0]", "It goes with liberal mode."),
		row("A80", "step 7", "The peer answers a packet out of the window with an RST.", "step-07", plan.Ambiguous, "", ""),
		row("A18", "summary", "Under load this happens in one of a thousand connections.", "", plan.NotShown, "", "Needs a congested server; this pair has no load to give."),
		row("A09", "as written, good flow", "The second address of the good flow is a typo for the first.", "", plan.AboutPaper, "", "It is about the text; nothing on a cluster shows it."),
		row("A81", "step 9", "The counter of the rule goes up by one.", "step-09", plan.NotJudged, "", ""),
	}
}

// nasty is what a guest could print to break a report.
var nasty = "esc \x1b[31mred\x1b[0m nul \x00 text \\x00 \\xff ]]> <![CDATA[ --> <!-- <script>alert(1)</script> </details></pre></style> " +
	"\u202egnisrever\u202c zero\u200bwidth nbsp\u00a0 c1 \u0085 \u2028 \ufeff \ufffe bad \xff\xfe | `` ``` ````` ~~~ *b* _i_ [l](javascript:alert(2)) ![i](http://192.0.2.1/x.png) " +
	"{{.Run}} &amp; \" ' @someone #1 $x^2$ \r tab\t日本語 e\u0301 👩‍🚀"

// hostile has it everywhere, a line of 300 KB, and two thousand attempts.
func hostile() journal.Result {
	long := strings.Repeat("0123456789<b>", 300<<10/13)
	n := nasty
	check := journal.CheckResult{Verdict: "fail", Want: n, Got: n + "\n" + n, Pos: n}
	attempt := journal.Attempt{
		Node: "cp" + n, Number: 1, Time: began, Verdict: "fail", Script: n + "\n" + long, Exit: 1, Stdout: long, Stderr: n + "\n```````\n" + long,
		Checks: []journal.CheckResult{check}, Claims: []journal.ClaimResult{{ID: n, Says: "fail", Shows: n, Checks: []journal.CheckResult{check}}},
		StdoutFile: "javascript:alert(3)", StderrFile: "\"><script>alert(4)</script>", Seconds: 0.1,
	}
	step := journal.StepResult{
		ID: "s1", Group: n, Title: n, Verdict: "fail", Hint: n, Seconds: 1000, Started: began,
		Captured: map[string]string{n: n}, Verdicts: map[string]plan.ClaimVerdict{n: "failed"}, Notes: []string{n},
	}
	const last = 2000
	for i := range last {
		a := attempt
		a.Number = i + 1
		if a.Number < last {
			a = journal.Attempt{Node: a.Node, Number: a.Number, Verdict: "fail", Checks: a.Checks}
		}
		step.Attempts = append(step.Attempts, a)
	}
	// What it printed is to be drawn, too.
	step.Chart = &plan.Chart{Title: n + long}
	other := attempt
	other.Node, other.Error = "worker", n
	step.Attempts = append(step.Attempts, other)
	const captured = "1764500000.1 <script>" + "\u202e In  IP 10.0.0.1.5 > 10.0.0.2.80: Flags [S], seq 1, win 1, length 0\n"
	wire := journal.StepResult{ID: "s2", Title: n, Verdict: "fail", Chart: &plan.Chart{Title: n}}
	for i := range 9 {
		wire.Attempts = append(wire.Attempts, journal.Attempt{Node: fmt.Sprint(n, i), Verdict: "fail", Stdout: n + "\n" + strings.Repeat(captured, 5000), Elided: 5})
	}
	strange := journal.StepResult{ID: n, Title: n, Verdict: n, Error: n, Started: began, Seconds: -1}
	r := journal.Result{
		Run: journal.Run{ID: n, Lab: n, Title: n, Writeup: n, Labctl: n, Pair: n, Topology: n, Nodes: []journal.Node{{Name: n, Role: n, Address: n, Kernel: n}},
			Hypervisor: n, Accelerator: n, Image: n, Kubernetes: n, From: n, Until: n, Only: []string{n}},
		Started: began, Complete: true, Verdict: "fail", Error: n, Hint: n, Interrupted: n, Seconds: 1e9,
		Plans: []journal.PlanResult{{Phase: journal.Steps, Name: n, Title: n, Verdict: n, Steps: []journal.StepResult{step, wire, strange}}},
		Restore: journal.Restore{Verdict: journal.NotRestored, Error: n, Left: map[journal.Stage][]journal.Difference{
			journal.AfterTeardown:   {{Node: n, Section: n, Missing: []string{n, long, "  blanks  matter  "}, Extra: []string{n, "  blanks matter  "}}},
			journal.AfterCheckpoint: {{Node: n, Section: long, Missing: many(1000)}},
		}},
	}
	r.Tables = []journal.TableResult{hostileTable(4, 40), hostileTable(60, 3)}
	r.Drill = &journal.DrillResult{
		DrillInfo: journal.DrillInfo{ID: n, Title: n + long, Cause: n}, Verdict: n, Hints: []string{n, long},
		Answers: []journal.DrillAnswer{{Cause: n, Verdict: n, Seconds: -1}}, Tries: []journal.DrillTry{{Verdict: n, At: n, Seconds: 1e9}},
	}
	for i, v := range []plan.ClaimVerdict{"holds", "moved", "wrong", "answered", "failed", "error", "not shown here", "about a document", "not judged", plan.ClaimVerdict(n)} {
		r.Claims = append(r.Claims, journal.ClaimRow{
			ClaimInfo: journal.ClaimInfo{ID: fmt.Sprintf("A%d %s", i, n), Where: n, Text: n + long, Step: "s1", Because: n}, Verdict: v, Showed: long,
		})
	}
	return r
}

func many(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("line %d", i))
	}
	return all
}

// unloaded is a lab with a mistake: nothing ran.
func unloaded() journal.Result {
	return journal.Result{Error: `lab.yaml:12:5: unknown key "expct"`, Hint: `did you mean "expect"?`, ExitCode: 64}
}

// interrupted ended early, and was put back.
func interrupted() journal.Result {
	r := realistic()
	r.Interrupted, r.ExitCode, r.Verdict = "SIGTERM", 143, "error"
	return r
}

// killed has no end.
func killed() journal.Result {
	r := realistic()
	r.Complete, r.Ended, r.Verdict, r.Seconds = false, time.Time{}, "", 0
	r.Plans = r.Plans[:1]
	r.Plans[0].Verdict = ""
	r.Plans[0].Steps = append(r.Plans[0].Steps[:4:4], journal.StepResult{ID: "step-05", Title: "Turn liberal mode on", Started: at(63)})
	r.Restore = journal.Restore{}
	for i := range r.Claims {
		r.Claims[i].Verdict = ""
	}
	return r
}

// results are all that every report must be able to tell.
func results() map[string]journal.Result {
	return map[string]journal.Result{
		"realistic": realistic(), "hostile": hostile(), "unloaded": unloaded(), "interrupted": interrupted(), "killed": killed(), "empty": {},
		"tabled": tabled(), "drilled": drilled(),
		"drawn": theReset(), "asked": drawn("arp", nasty), "plotted": plotted(),
	}
}
