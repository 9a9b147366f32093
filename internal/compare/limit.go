package compare

import (
	"time"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// Limit is how long a step may take, as its lab says it: with hardware
// acceleration.
type Limit struct {
	// Attempt limits each attempt on each node.
	Attempt time.Duration
	// Retry is the latest that an attempt starts after the first; 0 if there is
	// but one.
	Retry time.Duration
}

// Limits are those of a plan's steps, by id. A step that runs beside others, or
// stops one that does, takes the time that they take, and has none.
func Limits(steps []plan.Step) map[string]Limit {
	all := map[string]Limit{}
	for _, s := range steps {
		if s.Background == nil && s.Stop == "" {
			all[s.ID] = Limit{Attempt: s.Timeout, Retry: s.Retry.Limit}
		}
	}
	return all
}

// Use is how much of a limit a step has used, in seconds. The zero value is that
// of a step without a limit.
type Use struct {
	// Of is "attempt" or "retry".
	Of   string  `json:"of"`
	Used float64 `json:"used"`
	// Limit is as scaled for emulation.
	Limit float64 `json:"limit"`
}

// Share is the part of the limit that was used, from 0; 0 without a limit.
func (u Use) Share() float64 {
	if u.Limit <= 0 {
		return 0
	}
	return max(0, u.Used/u.Limit)
}

// useOf is the use of whichever limit is nearer: the longest attempt, or on any
// node the time from the start of the first attempt to that of the last.
func useOf(s journal.StepResult, l Limit, scale int) Use {
	scaled := func(d time.Duration) float64 { return d.Seconds() * float64(max(1, scale)) }
	began := map[string]time.Time{}
	attempt, retry := Use{Of: "attempt", Limit: scaled(l.Attempt)}, Use{Of: "retry", Limit: scaled(l.Retry)}
	for _, a := range s.Attempts {
		attempt.Used = max(attempt.Used, a.Seconds)
		start := a.Time.Add(-time.Duration(a.Seconds * float64(time.Second)))
		if first, seen := began[a.Node]; seen {
			retry.Used = max(retry.Used, start.Sub(first).Seconds())
		} else {
			began[a.Node] = start
		}
	}
	switch {
	case len(s.Attempts) == 0 || attempt.Limit == 0 && retry.Limit == 0:
		return Use{}
	case retry.Share() > attempt.Share():
		return retry
	}
	return attempt
}
