package compare_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/compare"
	"labctl/internal/journal"
	"labctl/internal/plan"
)

func two(t *testing.T, before, after compare.Run) compare.Diff {
	t.Helper()
	d, err := compare.Two(before, after)
	require.NoError(t, err)
	return d
}

func TestNothingDiffers(t *testing.T) {
	d := two(t, night(1), night(2))
	assert.False(t, d.Differs)
	assert.True(t, d.Told)
	assert.Empty(t, d.Claims)
	assert.Empty(t, d.Steps)
	assert.Empty(t, d.Timings)
	assert.Equal(t, "one/20260103T030000Z", d.Before.Run)
	assert.Equal(t, "one/20260104T030000Z", d.After.Run)
}

func TestWhatDiffers(t *testing.T) {
	after := night(2, failing("ask"), claiming(plan.Contested))
	of(&after, "ask").Attempts[0].Script = "do otherwise"
	after.Claims[0].Showed = "cp: nothing"
	after.Claims = append(after.Claims, journal.ClaimRow{ClaimInfo: journal.ClaimInfo{ID: "A2", Fixed: plan.AboutPaper}})
	after.Plans[0].Steps[1].ID = "look"
	d := two(t, night(1), after)
	assert.True(t, d.Differs)
	assert.Equal(t, []compare.ClaimDiff{
		{ID: "A1", Where: "step 1", Text: "It answers.", What: compare.Changed, Before: &compare.ClaimSeen{Verdict: plan.Holds, Showed: "cp: answer"}, After: &compare.ClaimSeen{Verdict: plan.Contested, Showed: "cp: nothing"}},
		{ID: "A2", What: compare.Came, After: &compare.ClaimSeen{Verdict: plan.AboutPaper}},
	}, d.Claims)
	assert.Equal(t, []compare.StepDiff{
		{
			ID: "ask", Title: "The step ask", What: compare.Changed, Script: true,
			Before: &compare.StepSeen{Verdict: "pass", Showed: "cp: answer", Seconds: 8},
			After:  &compare.StepSeen{Verdict: "fail", Showed: "cp: stdout is answer; came: nothing", Seconds: 8},
		},
		{ID: "look", Title: "The step wait", What: compare.Came, After: &compare.StepSeen{Verdict: "pass", Showed: "cp: done", Seconds: 16}},
		{ID: "wait", Title: "The step wait", What: compare.Went, Before: &compare.StepSeen{Verdict: "pass", Showed: "cp: done", Seconds: 16}},
	}, d.Steps)

	back := two(t, after, night(1))
	assert.Equal(t, compare.Went, back.Claims[1].What)
}

func TestOneVerdictIsEnough(t *testing.T) {
	for name, change := range map[string]func(*compare.Run){
		"a claim's":     claiming(plan.Moved),
		"a step's":      func(r *compare.Run) { of(r, "wait").Verdict = "error" },
		"the run's":     func(r *compare.Run) { r.Verdict = "error" },
		"the restore's": func(r *compare.Run) { r.Restore.Verdict = journal.NotRestored },
	} {
		t.Run(name, func(t *testing.T) {
			assert.True(t, two(t, night(1), night(2, change)).Differs)
		})
	}
	by := two(t, night(1), night(2, func(r *compare.Run) { r.Restore.By = journal.AfterRepair }))
	assert.False(t, by.Differs, "it is restored all the same")
}

func TestCannotBeTold(t *testing.T) {
	d := two(t, night(1, killed), night(2, killed))
	assert.False(t, d.Differs)
	assert.False(t, d.Told)
	d = two(t, night(1), night(2, killed))
	assert.True(t, d.Differs, "one has a verdict that the other has not")
	assert.True(t, d.Told)
}

func TestTimings(t *testing.T) {
	for name, c := range map[string]struct {
		before, after float64
		want          bool
	}{
		"the same":            {10, 10, false},
		"twice a blink":       {2, 6.9, false},
		"a bit of a long one": {100, 149, false},
		"just enough":         {10, 15, true},
		"shorter":             {15, 10, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := two(t, night(1, taking("ask", c.before)), night(2, taking("ask", c.after)))
			assert.Equal(t, c.want, len(d.Timings) == 1)
			assert.False(t, d.Differs, "a time is no verdict")
		})
	}
	d := two(t, night(1, taking("ask", 1)), night(2, taking("ask", 50), on("kvm", "6.12", "v1.37.2")))
	assert.Empty(t, d.Timings)
	assert.Equal(t, "times on tcg and on kvm are not comparable", d.Untimed)
	assert.Empty(t, two(t, night(1, taking("ask", 1)), night(2, taking("ask", 50), failing("ask"))).Timings, "it did not pass")
}

func TestUnlike(t *testing.T) {
	other := night(2)
	other.Run.Lab = "another"
	_, err := compare.Two(night(1), other)
	require.EqualError(t, err, `comparing a run of lab "one" with one of lab "another": they have nothing in common`)
	_, err = compare.Two(night(1), night(2, drill))
	require.EqualError(t, err, `comparing a run of lab "one" with one of drill "d" of lab "one": they have nothing in common`)
	_, err = compare.Two(night(1, drill), night(2, drill))
	require.NoError(t, err)
}
