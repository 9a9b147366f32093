package report

import (
	"slices"

	"labctl/internal/journal"
)

// span is the time that the timeline shows, in seconds since the epoch.
type span struct{ from, to float64 }

// spanOf goes from the start of the first step to the end of the last: what
// comes before and after has no bar to show.
func spanOf(r journal.Result) span {
	var starts, ends []float64
	for _, p := range r.Plans {
		for _, s := range p.Steps {
			if !s.Started.IsZero() {
				at := float64(s.Started.UnixMilli()) / 1000
				starts, ends = append(starts, at), append(ends, at+max(0, s.Seconds))
			}
		}
	}
	if len(starts) == 0 {
		return span{}
	}
	return span{slices.Min(starts), slices.Max(ends)}
}

// place is where a step's bar begins and how wide it is, in percent; a bar that
// would be too thin to see is half a percent wide.
func (t span) place(s journal.StepResult) (from, width float64) {
	if s.Started.IsZero() || t.to <= t.from {
		return 0, 0
	}
	all := t.to - t.from
	from = (float64(s.Started.UnixMilli())/1000 - t.from) / all * 100
	width = max(0.5, max(0, s.Seconds)/all*100)
	return min(from, 100-width), width
}
