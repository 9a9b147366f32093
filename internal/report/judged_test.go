package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// judgedRun is a run of two steps with these verdicts; an error is that of the
// second one's attempt.
func judgedRun(first, second string, claim plan.ClaimVerdict, err string, checks ...journal.CheckResult) journal.Result {
	return journal.Result{
		Plans: []journal.PlanResult{{Phase: journal.Steps, Steps: []journal.StepResult{
			{ID: "one", Verdict: first, Attempts: []journal.Attempt{
				{Node: "cp", Number: 1, Checks: []journal.CheckResult{{Verdict: "fail", Want: "is retried"}}},
				{Node: "cp", Number: 2, Checks: checks, Claims: []journal.ClaimResult{{ID: "A1", Checks: []journal.CheckResult{
					{Verdict: "fail", Want: "stdout is old", Got: "new", Pos: "lab.yaml:9:1", Side: plan.Says},
				}}}},
			}},
			{ID: "two", Verdict: second, Attempts: []journal.Attempt{{Node: "cp", Error: err, Checks: []journal.CheckResult{{Verdict: "pass", Want: "exit code 0"}}}}},
		}}},
		Claims: []journal.ClaimRow{
			{ClaimInfo: journal.ClaimInfo{ID: "A1", Step: "one"}, Verdict: claim},
			{ClaimInfo: journal.ClaimInfo{ID: "A2"}, Verdict: plan.AboutPaper},
		},
	}
}

func TestChanges(t *testing.T) {
	plans := []plan.Plan{{Steps: []plan.Step{{ID: "one"}, {ID: "two"}, {ID: "three"}}}}
	pass := journal.CheckResult{Verdict: "pass", Want: "stdout is x", Got: "x", Pos: "lab.yaml:7:1"}
	fail := journal.CheckResult{Verdict: "fail", Want: "stdout is x", Got: "y\nz", Pos: "lab.yaml:7:1"}
	good := judgedRun("pass", "pass", plan.Moved, "", pass, pass)
	for _, c := range []struct {
		name         string
		before, now  journal.Result
		first        bool
		shows, hides []string
	}{
		{name: "the first, all well but for a step that is new", first: true, now: good,
			shows: []string{"3 steps: pass 2, never run 1\n1 claim: moved\n", "  never run: three\n"}, hides: []string{"stdout", "exit code"}},
		{name: "the first, a check fails", first: true, now: judgedRun("fail", "pass", plan.Contested, "", fail),
			shows: []string{"  fail: one\n", "  failed: A1\n", "  fail: one on cp: stdout is x; came: y z (lab.yaml:7:1)\n", "  fail: one on cp: A1 says: stdout is old; came: new (lab.yaml:9:1)\n"}, hides: []string{"retried"}},
		{name: "the same again", before: good, now: good, shows: []string{"  nothing else than before\n"}, hides: []string{"three"}},
		{name: "it fails now", before: good, now: judgedRun("fail", "pass", plan.Contested, "", pass, fail),
			shows: []string{"  fail, was pass: one\n", "  failed, was moved: A1\n", "  fail, was pass: one on cp: stdout is x; came:"}, hides: []string{"two", "gone"}},
		{name: "a check is gone, another new", before: good, now: judgedRun("pass", "pass", plan.Moved, "", pass, journal.CheckResult{Verdict: "pass", Want: "stderr is empty"}),
			shows: []string{"  pass: one on cp: stderr is empty\n", "  gone, was pass: one on cp: stdout is x\n"}, hides: []string{"exit code", "moved, was"}},
		{name: "the script has changed", before: good, now: judgedRun("pass", "error", plan.Moved, journal.ScriptChanged, pass, pass),
			shows: []string{"3 steps: pass 1, not run since 1, never run 1\n", "  not run since, was pass: two\n"}, hides: []string{"gone", "exit code"}},
		{name: "and is as it was again", before: judgedRun("pass", "error", plan.Moved, journal.ScriptChanged, pass, pass), now: good,
			shows: []string{"  pass, was not run since: two\n"}, hides: []string{"exit code"}},
		{name: "what could not be judged", before: good, now: judgedRun("pass", "error", plan.Moved, "lost", pass, pass),
			shows: []string{"  error: two on cp: what it printed; lost\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before *Judgement
			if !c.first {
				j := Judged(plans, c.before)
				before = &j
			}
			var b strings.Builder
			Changes(&b, before, Judged(plans, c.now))
			for _, s := range c.shows {
				assert.Contains(t, b.String(), s)
			}
			for _, h := range c.hides {
				assert.NotContains(t, b.String(), h)
			}
		})
	}
}

// A screen has fifty lines.
func TestChangesAreCut(t *testing.T) {
	var many []journal.CheckResult
	for range maxChanges + 3 {
		many = append(many, journal.CheckResult{Verdict: "fail", Want: "stdout is x"})
	}
	var b strings.Builder
	Changes(&b, nil, Judged(nil, journal.Result{}))
	assert.Equal(t, "no steps\n  nothing else than before\n", b.String())
	b.Reset()
	Changes(&b, nil, Judged([]plan.Plan{{Steps: []plan.Step{{ID: "one"}}}}, judgedRun("fail", "pass", plan.Moved, "", many...)))
	assert.Contains(t, b.String(), "  and 3 more\n")
}
