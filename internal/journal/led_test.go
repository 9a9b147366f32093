package journal

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/plan"
)

// What a step proved counts no more when it was run again, whatever came then.
func TestFoldOfAStepThatWasRunAgain(t *testing.T) {
	at := begin
	step := func(typ Type, e Event) Event {
		e.Type, e.Time, e.Step, e.Phase, e.Plan = typ, at, cmp.Or(e.Step, "s"), Steps, "p"
		return e
	}
	r := Fold([]Event{
		{Type: RunStarted, Time: at, Run: &Run{Led: true, Claims: []ClaimInfo{{ID: "C1", Step: "s"}}}},
		step(PlanStarted, Event{}),
		step(StepStarted, Event{}),
		step(StepOutput, Event{Node: "a", Attempt: 1, Verdict: "pass"}),
		step(StepDone, Event{Verdict: "pass", Verdicts: map[string]plan.ClaimVerdict{"C1": plan.Holds}, Captured: map[string]string{"X": "1"}}),
		step(StepDone, Event{Step: "later", Verdict: "skipped"}),
		{Type: Led, Time: at.Add(3 * time.Second), Step: "s", Text: LedAgain},
		step(StepStarted, Event{}),
		step(StepOutput, Event{Node: "a", Attempt: 1, Verdict: "error"}),
		step(StepDone, Event{Verdict: "error"}),
		{Type: Led, Time: at.Add(4 * time.Second), Step: "s", Text: LedAccept},
	})
	require.Len(t, r.Plans[0].Steps, 2)
	s := r.Plans[0].Steps[0]
	assert.Equal(t, "error", s.Verdict)
	assert.Equal(t, 2, s.Runs)
	assert.True(t, s.Accepted)
	assert.Empty(t, s.Captured)
	assert.Equal(t, []int{0, 2}, []int{s.Attempts[0].Run, s.Attempts[1].Run})
	assert.Equal(t, plan.NotJudged, r.Claims[0].Verdict)
	assert.Equal(t, []LedAct{{Act: LedAgain, Step: "s", At: 3}, {Act: LedAccept, Step: "s", At: 4}}, r.Led.Acts)
}
