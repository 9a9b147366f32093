package compare

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

func TestLimits(t *testing.T) {
	assert.Equal(t, map[string]Limit{
		"once":  {Attempt: time.Minute},
		"again": {Attempt: time.Second, Retry: 5 * time.Second},
	}, Limits([]plan.Step{
		{ID: "once", Timeout: time.Minute},
		{ID: "again", Timeout: time.Second, Retry: plan.Retry{Every: time.Second, Limit: 5 * time.Second}},
		{ID: "beside", Timeout: time.Minute, Background: &plan.Background{}},
		{ID: "stops", Timeout: time.Minute, Stop: "beside"},
	}))
}

func TestUse(t *testing.T) {
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	// attempt ended so many seconds after the step began.
	attempt := func(node string, ended, took float64) journal.Attempt {
		return journal.Attempt{Node: node, Time: begun.Add(time.Duration(ended * float64(time.Second))), Seconds: took}
	}
	limit := Limit{Attempt: 10 * time.Second, Retry: 60 * time.Second}
	for name, c := range map[string]struct {
		attempts []journal.Attempt
		limit    Limit
		scale    int
		want     Use
	}{
		"one":             {[]journal.Attempt{attempt("cp", 4, 4)}, limit, 1, Use{"attempt", 4, 10}},
		"emulated":        {[]journal.Attempt{attempt("cp", 4, 4)}, limit, 8, Use{"attempt", 4, 80}},
		"no scale told":   {[]journal.Attempt{attempt("cp", 4, 4)}, limit, 0, Use{"attempt", 4, 10}},
		"two nodes":       {[]journal.Attempt{attempt("cp", 4, 4), attempt("worker", 6, 6)}, limit, 1, Use{"attempt", 6, 10}},
		"tried again":     {[]journal.Attempt{attempt("cp", 1, 1), attempt("cp", 25, 1), attempt("cp", 49, 1)}, limit, 1, Use{"retry", 48, 60}},
		"slow, and again": {[]journal.Attempt{attempt("cp", 9, 9), attempt("cp", 20, 9)}, limit, 1, Use{"attempt", 9, 10}},
		"no limits":       {[]journal.Attempt{attempt("cp", 1, 1)}, Limit{}, 8, Use{}},
		"nothing ran":     {nil, limit, 8, Use{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := useOf(journal.StepResult{Attempts: c.attempts}, c.limit, c.scale)
			assert.Equal(t, c.want.Of, got.Of)
			assert.InDelta(t, c.want.Used, got.Used, 1e-6)
			assert.InDelta(t, c.want.Limit, got.Limit, 1e-6)
		})
	}
	assert.Zero(t, Use{Used: 3}.Share())
	assert.InDelta(t, 0.5, Use{Used: 3, Limit: 6}.Share(), 1e-9)
}
