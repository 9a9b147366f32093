package labrun

import (
	"labctl/internal/journal"
	"labctl/internal/plan"
)

// VerdictCode is the exit code of a run's verdict alone.
func VerdictCode(r journal.Result) int {
	switch worst(r) {
	case plan.Error:
		return ExitError
	case plan.Fail:
		return ExitFailed
	case plan.Pass:
		return ExitPassed
	}
	return ExitNothing
}

// worst is the worst verdict of the plans that ran, or what a drill came to. A
// teardown that passes makes no pass of a lab of which nothing was run, and one that
// is run again to pay what is owed, when there may be nothing left to delete, no
// failure of a lab that has passed.
func worst(r journal.Result) plan.Verdict {
	if r.Drill != nil {
		return drillVerdict(r)
	}
	v, steps := plan.NotRun, plan.Pass
	putBack := map[journal.Phase]bool{}
	for _, p := range r.Plans {
		if putBack[p.Phase] {
			continue
		}
		putBack[p.Phase] = p.Phase == journal.Teardown || p.Phase == journal.Repair
		one := plan.ParseVerdict(p.Verdict)
		v = v.Worse(one)
		if p.Phase == journal.Steps {
			steps = one
		}
	}
	if v == plan.Pass {
		return min(v, steps)
	}
	return v
}
