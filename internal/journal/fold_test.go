package journal

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/plan"
)

func dump(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// story is a run that is whole: one step with a claim, a teardown that leaves
// something, a repair that does not.
func story() []Event {
	code := 0
	events := []Event{
		{Type: RunStarted, Run: &Run{ID: "x/1", Lab: "x", Claims: []ClaimInfo{
			{ID: "A1", Step: "one", Text: "it is so"},
			{ID: "A2", Step: "two"},
			{ID: "A9", Fixed: plan.AboutPaper},
		}}},
		{Type: Compared, Stage: Baseline},
		{Type: PlanStarted, Phase: Steps, Plan: "x"},
		{Type: StepStarted, Phase: Steps, Step: "one", Title: "One"},
		{Type: StepOutput, Phase: Steps, Step: "one", Node: "cp", Attempt: 1, Verdict: "fail", Stdout: "not yet"},
		{Type: StepOutput, Phase: Steps, Step: "one", Node: "cp", Attempt: 2, Verdict: "pass", Stdout: "iptables", Claims: []ClaimResult{
			{ID: "A1", Says: "fail", Shows: "pass", Checks: []CheckResult{
				{Verdict: "pass", Want: "exit code 0", Side: plan.Says}, {Verdict: "fail", Want: "stdout is empty", Got: "iptables", Side: plan.Says},
				{Verdict: "pass", Want: "stdout contains \"iptables\"", Got: "mode: iptables", Side: plan.Shows},
			}},
		}},
		{Type: StepDone, Phase: Steps, Step: "one", Title: "One", Verdict: "pass", Verdicts: map[string]plan.ClaimVerdict{"A1": plan.Wrong}},
		{Type: PlanDone, Phase: Steps, Plan: "x", Verdict: "pass"},
		{Type: PlanStarted, Phase: Teardown, Plan: "x-teardown"},
		{Type: PlanDone, Phase: Teardown, Verdict: "pass"},
		{Type: Compared, Stage: AfterTeardown, Differences: []Difference{{Node: "cp", Section: "sysctl", Extra: []string{"a = 1"}}}},
		{Type: Compared, Stage: AfterRepair},
		{Type: RunDone, Verdict: "pass", ExitCode: &code},
	}
	for i := range events {
		events[i].Time = begin.Add(time.Duration(i) * time.Second)
	}
	return events
}

func TestFold(t *testing.T) {
	r := Fold(story())
	assert.True(t, r.Complete)
	assert.Equal(t, 12.0, r.Seconds)
	assert.Equal(t, "pass", r.Verdict)
	require.Len(t, r.Plans, 2)
	require.Len(t, r.Plans[0].Steps, 1)
	assert.Len(t, r.Plans[0].Steps[0].Attempts, 2)

	assert.Equal(t, plan.Wrong, r.Claims[0].Verdict)
	assert.Equal(t, "cp: mode: iptables", r.Claims[0].Showed)
	assert.Equal(t, plan.NotJudged, r.Claims[1].Verdict, "its step never ran")
	assert.Equal(t, plan.AboutPaper, r.Claims[2].Verdict)
	assert.Equal(t, map[plan.ClaimVerdict]int{plan.Wrong: 1, plan.NotJudged: 1, plan.AboutPaper: 1}, r.Counts)

	assert.Equal(t, Restored, r.Restore.Verdict)
	assert.Equal(t, AfterRepair, r.Restore.By)
	assert.Len(t, r.Restore.Left[AfterTeardown], 1)
}

// A journal may end anywhere; what it says so far is told, and nothing better.
func TestFoldOfEveryBeginning(t *testing.T) {
	whole := story()
	for n := range len(whole) {
		r := Fold(whole[:n])
		assert.False(t, r.Complete)
		assert.NotEqual(t, "pass", r.Verdict, "a verdict comes at the end")
		if n < len(whole)-1 {
			assert.NotEqual(t, Restored, r.Restore.Verdict, "after %d events", n)
		}
		for _, p := range r.Plans {
			if p.Verdict == "pass" {
				continue
			}
			assert.Equal(t, "error", p.Verdict, "nobody knows what becomes of a plan that is not done")
		}
	}
}

// A teardown that follows on steps that did not all pass proves nothing.
func TestFoldJudgesNoClaimOfATeardownAlone(t *testing.T) {
	for verdict, want := range map[string]plan.ClaimVerdict{"pass": plan.Wrong, "error": plan.NotJudged} {
		r := Fold([]Event{
			{Type: RunStarted, Run: &Run{Claims: []ClaimInfo{{ID: "A1", Step: "td"}}}},
			{Type: PlanStarted, Phase: Steps},
			{Type: PlanDone, Phase: Steps, Verdict: verdict},
			{Type: PlanStarted, Phase: Teardown},
			{Type: StepDone, Phase: Teardown, Step: "td", Verdict: "pass", Verdicts: map[string]plan.ClaimVerdict{"A1": plan.Wrong}},
		})
		assert.Equal(t, want, r.Claims[0].Verdict, verdict)
	}
}

func TestFoldKeepsTheChart(t *testing.T) {
	r := Fold([]Event{
		{Type: PlanStarted, Phase: Steps},
		{Type: StepStarted, Step: "one"},
		{Type: StepDone, Step: "one", Chart: &plan.Chart{Title: "The reset"}},
		{Type: StepDone, Step: "two"},
	})
	assert.Equal(t, &plan.Chart{Title: "The reset"}, r.Plans[0].Steps[0].Chart)
	assert.Nil(t, r.Plans[0].Steps[1].Chart)
	assert.Contains(t, dump(t, r), `"chart":{"title":"The reset"}`)
}

// What is known instead explains no claim that holds, and none of which nothing was seen.
func TestBecause(t *testing.T) {
	for verdict, want := range map[plan.ClaimVerdict]string{
		plan.Moved: "why", plan.Wrong: "why", plan.Answered: "why", plan.NotShown: "why", plan.AboutPaper: "why",
		plan.Holds: "", plan.Contested: "", plan.Ambiguous: "", plan.NotJudged: "",
	} {
		t.Run(string(verdict), func(t *testing.T) {
			r := Fold([]Event{{Type: RunStarted, Run: &Run{Claims: []ClaimInfo{{ID: "A1", Because: "why", Fixed: verdict}}}}})
			assert.Equal(t, want, r.Claims[0].Because)
		})
	}
}
