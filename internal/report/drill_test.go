package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"labctl/internal/journal"
)

// drilled is a drill that was solved: two diagnoses, a fix that was none, then
// one that was, by a step that had been run before. Its teardown met what no
// write-up knows of.
func drilled() journal.Result {
	check := aStep("step-04", "Find the drop rule", 400, 2, "sudo iptables-save | grep INVALID\n", "-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP\n", "exit code 0")
	early := check
	early.Verdict, early.Started = "fail", at(300)
	early.Attempts = append([]journal.Attempt{}, early.Attempts...)
	early.Attempts[0].Verdict, early.Attempts[0].Exit, early.Attempts[0].Stdout = "fail", 1, ""
	early.Attempts[0].Checks = []journal.CheckResult{{Verdict: "fail", Want: "exit code 0", Got: "exit code 1", Pos: "lab.yaml:40:5"}}
	failed := aStep("teardown-01", "Put the ConfigMap back", 402, 1, "kubectl replace -f /tmp/kp-orig.yaml\n", "")
	failed.Verdict = "fail"
	r := realistic()
	r.Run.Drill = &journal.DrillInfo{ID: "rule", Number: 3, Of: 6, Title: "Connections end with a reset", Cause: "The drop rule is not there"}
	r.Plans = []journal.PlanResult{
		{Phase: journal.Steps, Name: "steps", Title: "the write-up's steps", Verdict: "pass", Seconds: 4, Steps: []journal.StepResult{
			check, {ID: "step-05", Title: "Turn liberal mode on", Verdict: "pass", Started: at(3), Seconds: 1}, {ID: "step-06", Title: "Later", Verdict: "skipped"},
		}},
		{Phase: journal.Drill, Name: "steps-drill", Title: "Check of the fix", Verdict: "fail", Seconds: 2, Steps: []journal.StepResult{early}},
		{Phase: journal.Drill, Name: "steps-drill", Title: "Check of the fix", Verdict: "pass", Seconds: 2, Steps: []journal.StepResult{check}},
		{Phase: journal.Teardown, Name: "teardown", Title: "the write-up's teardown", Verdict: "fail", Seconds: 40.1, Steps: []journal.StepResult{failed}},
	}
	r.Claims, r.Counts = nil, nil
	r.ExitCode, r.Verdict = 0, "pass"
	r.Drill = &journal.DrillResult{
		DrillInfo: *r.Run.Drill, Verdict: journal.DrillSolved, Diagnosed: true, Mended: true, Seconds: 395.5,
		Answers: []journal.DrillAnswer{{Cause: "The worker forwards no packets", Verdict: "fail", Seconds: 61}, {Cause: "The drop rule is not there", Verdict: "pass", Seconds: 200.25}},
		Tries:   []journal.DrillTry{{Verdict: "fail", At: "step-04", Seconds: 296}, {Verdict: "pass", Seconds: 395}},
		Hints:   []string{"Compare the rules on both nodes."},
	}
	return r
}

func TestDrillInReports(t *testing.T) {
	made := printers(t)
	golden(t, "drill.txt", made["console.txt"](drilled()))
	golden(t, "drill.md", made["report.md"](drilled()))

	junit := string(made["junit.xml"](drilled()))
	assert.Contains(t, junit, `<testcase name="solved" classname="conntrack-reset.drill" time="395.500">`)
	assert.Equal(t, 1, strings.Count(junit, `name="step-04"`), "a check of the fix is no case")
	assert.Equal(t, 1, strings.Count(junit, "<failure"), "what the teardown met")

	page := string(made["report.html"](drilled()))
	for _, want := range []string{
		`<h2>Drill <b class="badge v-solved">solved</b></h2>`, "drill 3 of 6: Connections end with a reset",
		`<h2>Check of the fix 1 <b class="badge v-fail">fail</b></h2>`, `<h2>Check of the fix 2 <b class="badge v-pass">pass</b></h2>`,
		`id="s-step-04"`, `id="d1s-step-04"`, `id="d2s-step-04"`, `href="#d1s-step-04"`,
	} {
		assert.Contains(t, page, want)
	}
	assert.Equal(t, 1, strings.Count(page, `id="s-step-04"`))
}

func TestHowADrillEnded(t *testing.T) {
	made := printers(t)
	for verdict, want := range map[string]string{
		journal.DrillGaveUp: `<failure message="given up: drill 3 of 6: Connections end with a reset" type="drill">`,
		journal.DrillCut:    `<error message="not ended: drill 3 of 6: Connections end with a reset" type="drill">`,
		journal.DrillNotSet: `<error message="not set up: drill 3 of 6: Connections end with a reset" type="drill">`,
	} {
		r := drilled()
		r.Drill.Verdict, r.Drill.Diagnosed, r.Drill.Mended, r.Drill.Answers, r.Drill.Tries, r.Drill.Hints = verdict, false, false, nil, nil, nil
		assert.Contains(t, string(made["junit.xml"](r)), want)
		text := string(made["console.txt"](r))
		assert.Contains(t, text, "  drill: "+verdict+"\n")
		assert.Equal(t, verdict != journal.DrillCut, strings.Contains(text, "  cause: The drop rule is not there\n"), "whoever left it may come back to it")
		assert.Equal(t, verdict != journal.DrillNotSet, strings.Contains(text, "  fix: never checked\n"))
	}
}
