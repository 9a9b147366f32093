package compare_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/compare"
	"labctl/internal/journal"
	"labctl/internal/plan"
)

func history(t *testing.T, runs ...compare.Run) compare.History {
	t.Helper()
	all := compare.Histories(runs)
	require.Len(t, all, 1)
	return all[0]
}

func TestHistoryIsByLabAndTime(t *testing.T) {
	other := night(5)
	other.Run.Lab = "another"
	copied := night(2)
	copied.Folder = "artifacts/one"
	all := compare.Histories([]compare.Run{night(2), other, night(1), copied, night(3, on("kvm", "6.12", "v1.37.2"))})
	require.Len(t, all, 2)
	assert.Equal(t, "another", all[0].Lab)
	h := all[1]
	require.Len(t, h.Runs, 3, "what was collected from another folder counts once")
	for i, l := range h.Runs {
		assert.Equal(t, i+1, l.Number)
		assert.Equal(t, began.AddDate(0, 0, i+1), l.Started)
	}
	assert.Equal(t, []compare.Series{
		{Kernel: "6.12", Accelerator: "tcg", Runs: []int{1, 2}},
		{Kernel: "6.12", Accelerator: "kvm", Runs: []int{3}},
	}, h.Series)
	assert.Equal(t, map[int]plan.ClaimVerdict{1: plan.Holds, 2: plan.Holds, 3: plan.Holds}, h.Claims[0].Verdicts)
	assert.Equal(t, "ask", h.Steps[0].ID)
	assert.Len(t, h.Steps[0].Runs, 3)
}

func TestOfTwoCopiesTheLongerCounts(t *testing.T) {
	short := night(1, killed)
	short.Ended = short.Started
	for _, runs := range [][]compare.Run{{short, night(1)}, {night(1), short}} {
		h := history(t, runs...)
		require.Len(t, h.Runs, 1)
		assert.Empty(t, h.Runs[0].Trouble)
	}
}

func TestLines(t *testing.T) {
	for name, c := range map[string]struct {
		run     compare.Run
		verdict string
		trouble string
		kind    compare.Kind
	}{
		"whole":    {night(1), "pass", "", compare.Whole},
		"part":     {night(1, func(r *compare.Run) { r.Run.Only = []string{"ask"} }), "pass", "", compare.Part},
		"drill":    {night(1, drill), "pass", "", compare.Drill},
		"sabotage": {night(1, sabotage), "pass", "", compare.Sabotage},
		"led":      {night(1, func(r *compare.Run) { r.Run.Led, r.Run.Only = true, []string{"ask"} }), "pass", "", compare.Led},
		"killed":   {night(1, killed), "error", "the record has no end: labctl was killed, or is still running", compare.Whole},
		"cut":      {night(1, func(r *compare.Run) { r.Interrupted = "INT" }), "pass", "interrupted by INT", compare.Whole},
		"twice":    {night(1, killed, func(r *compare.Run) { r.Interrupted = "INT" }), "error", "interrupted by INT, and the record has no end", compare.Whole},
		"damaged":  {night(1, killed, func(r *compare.Run) { r.Damage = "line 3" }), "error", "damaged: line 3", compare.Whole},
		"error":    {night(1, func(r *compare.Run) { r.Error = "no nodes" }), "pass", "no nodes", compare.Whole},
	} {
		t.Run(name, func(t *testing.T) {
			l := compare.LineOf(c.run)
			assert.Equal(t, c.verdict, l.Verdict)
			assert.Equal(t, c.trouble, l.Trouble)
			assert.Equal(t, c.kind, l.Kind)
			assert.Equal(t, "6.12", l.Kernel, "the nodes have the same")
			assert.Equal(t, journal.AfterTeardown, l.By)
		})
	}
}

// Of a run without a journal there is what its folder says.
func TestNothingButAFolder(t *testing.T) {
	h := history(t, night(1), compare.Run{Folder: "runs/one/20260101T030000Z", Damage: "no journal"})
	require.Len(t, h.Runs, 2)
	assert.Equal(t, "one/20260101T030000Z", h.Runs[0].Run)
	assert.Equal(t, "damaged: no journal", h.Runs[0].Trouble)
	assert.Equal(t, "error", h.Runs[0].Verdict)
	assert.Len(t, h.Series, 1, "nobody knows where it ran")
}

func TestFlaky(t *testing.T) {
	setting := compare.Setting{File: "f1", Kubernetes: "v1.37.2", Kernel: "6.12", Accelerator: "tcg"}
	for name, c := range map[string]struct {
		runs []compare.Run
		want []compare.Flaky
	}{
		"never":             {[]compare.Run{night(1), night(2)}, nil},
		"always":            {[]compare.Run{night(1, failing("ask")), night(2, failing("ask"))}, nil},
		"sometimes":         {[]compare.Run{night(1), night(2, failing("ask")), night(3)}, []compare.Flaky{{Step: "ask", Title: "The step ask", Setting: setting, Of: 3, Not: []int{2}}}},
		"other accelerator": {[]compare.Run{night(1), night(2, failing("ask"), on("kvm", "6.12", "v1.37.2"))}, nil},
		"other kernel":      {[]compare.Run{night(1), night(2, failing("ask"), on("tcg", "6.1", "v1.37.2"))}, nil},
		"other Kubernetes":  {[]compare.Run{night(1), night(2, failing("ask"), on("tcg", "6.12", "v1.36.0"))}, nil},
		"other file":        {[]compare.Run{night(1), night(2, failing("ask"), file("f2"))}, nil},
		"unknown file":      {[]compare.Run{night(1, file("")), night(2, failing("ask"), file(""))}, nil},
		"a drill":           {[]compare.Run{night(1), night(2, failing("ask"), drill)}, nil},
		"sabotage":          {[]compare.Run{night(1), night(2, failing("ask"), sabotage)}, nil},
		"killed":            {[]compare.Run{night(1), night(2, failing("ask"), killed)}, nil},
		"not run":           {[]compare.Run{night(1), night(2, func(r *compare.Run) { of(r, "ask").Verdict = "not run" })}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := history(t, c.runs...)
			assert.ElementsMatch(t, c.want, h.Flaky)
		})
	}
}

func TestMargins(t *testing.T) {
	// Six nights in which the step takes so many seconds of its 80.
	nights := func(seconds []float64, change ...func(*compare.Run)) []compare.Run {
		var all []compare.Run
		for i, s := range seconds {
			all = append(all, night(i, append([]func(*compare.Run){taking("ask", s)}, change...)...))
		}
		return all
	}
	rising := []float64{8, 8, 8, 12, 16, 16}
	h := history(t, nights(rising)...)
	require.Len(t, h.Margins, 1)
	assert.Equal(t, compare.Margin{
		Step: "ask", Title: "The step ask", Kernel: "6.12", Accelerator: "tcg", Runs: 6, From: 1, To: 6, Before: 0.1, Now: 0.2,
		Newest: compare.Use{Of: "attempt", Used: 16, Limit: 80},
	}, h.Margins[0])

	half := nights(rising)
	for i := range half[:3] {
		on("kvm", "6.12", "v1.37.2")(&half[i])
	}
	longer := nights(rising)
	longer[5].Limits = map[string]compare.Limit{"ask": {Attempt: 9e9}}
	drilled := nights(rising)
	drill(&drilled[0])
	failed := nights(rising)
	failing("ask")(&failed[5])
	for name, runs := range map[string][]compare.Run{
		"five runs":       nights(rising[1:]),
		"less":            nights([]float64{8, 8, 8, 12, 15.9, 15.9}),
		"falling":         nights([]float64{16, 16, 12, 8, 8, 8}),
		"up and down":     nights([]float64{8, 8, 20, 20, 16, 16}),
		"no limits":       nights(rising, func(r *compare.Run) { r.Limits = nil }),
		"two machines":    half,
		"another limit":   longer,
		"one is a drill":  drilled,
		"one did not end": failed,
	} {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, history(t, runs...).Margins)
		})
	}
}

func TestChanges(t *testing.T) {
	kvm := on("kvm", "6.12", "v1.37.2")
	old := on("tcg", "6.12", "v1.36.0")
	type change struct {
		from, to      int
		before, after plan.ClaimVerdict
	}
	for name, c := range map[string]struct {
		runs []compare.Run
		want []change
	}{
		"none":                {[]compare.Run{night(1), night(2)}, nil},
		"there and back":      {[]compare.Run{night(1), night(2, claiming(plan.Moved)), night(3)}, []change{{1, 2, plan.Holds, plan.Moved}, {2, 3, plan.Moved, plan.Holds}}},
		"another accelerator": {[]compare.Run{night(1), night(2, kvm, claiming(plan.Moved)), night(3)}, nil},
		"another kernel":      {[]compare.Run{night(1), night(2, on("tcg", "6.1", "v1.37.2"), claiming(plan.Moved))}, nil},
		"a new Kubernetes":    {[]compare.Run{night(1, old), night(2, claiming(plan.Moved))}, []change{{1, 2, plan.Holds, plan.Moved}}},
		"one after another":   {[]compare.Run{night(1, old), night(2, claiming(plan.Moved)), night(3, old), night(4, claiming(plan.Moved))}, []change{{1, 2, plan.Holds, plan.Moved}}},
		"not judged between":  {[]compare.Run{night(1), night(2, claiming(plan.NotJudged)), night(3, claiming(plan.Wrong))}, []change{{1, 3, plan.Holds, plan.Wrong}}},
		"a drill":             {[]compare.Run{night(1), night(2, drill, claiming(plan.Contested))}, nil},
		"sabotage":            {[]compare.Run{night(1), night(2, sabotage, claiming(plan.Contested))}, nil},
		"cut in the middle":   {[]compare.Run{night(1), night(2, killed, claiming(plan.Ambiguous))}, nil},
		"cut after it":        {[]compare.Run{night(1), night(2, killed, claiming(plan.Moved))}, []change{{1, 2, plan.Holds, plan.Moved}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []change
			for _, c := range history(t, c.runs...).Changes {
				assert.Equal(t, "A1", c.Claim)
				got = append(got, change{c.From, c.To, c.Before, c.After})
			}
			assert.Equal(t, c.want, got)
		})
	}
}
