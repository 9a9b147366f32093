package compare

import (
	"cmp"
	"math"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// stepPair is a step in both runs; nil where it is not.
type stepPair struct{ before, after *journal.StepResult }

// stepPairs are in the order of the second run, then what only the first has.
func stepPairs(before, after journal.Result) []stepPair {
	was := stepsIn(before)
	old := map[string]*journal.StepResult{}
	for _, s := range was {
		old[s.ID] = s
	}
	var all []stepPair
	known := map[string]bool{}
	for _, s := range stepsIn(after) {
		known[s.ID] = true
		all = append(all, stepPair{old[s.ID], s})
	}
	for _, s := range was {
		if !known[s.ID] {
			all = append(all, stepPair{s, nil})
		}
	}
	return all
}

// stepsIn are a run's steps but for the checks of a learner's fix.
func stepsIn(r journal.Result) []*journal.StepResult {
	var all []*journal.StepResult
	for _, p := range r.Plans {
		for i := range p.Steps {
			if p.Phase != journal.Drill {
				all = append(all, &p.Steps[i])
			}
		}
	}
	return all
}

func (p stepPair) diff() (StepDiff, bool) {
	named := cmp.Or(p.after, p.before)
	d := StepDiff{ID: named.ID, Title: named.Title, What: Changed, Before: stepSeen(p.before), After: stepSeen(p.after)}
	switch {
	case p.before == nil:
		d.What = Came
	case p.after == nil:
		d.What = Went
	case d.Before.Verdict == d.After.Verdict:
		return d, false
	default:
		a, b := script(*p.before), script(*p.after)
		d.Script = a != "" && b != "" && a != b
	}
	return d, true
}

func (p stepPair) timing() (Timing, bool) {
	if p.before == nil || p.after == nil || p.before.Outcome() != plan.Pass.String() || p.after.Outcome() != plan.Pass.String() {
		return Timing{}, false
	}
	a, b := p.before.Seconds, p.after.Seconds
	t := Timing{Step: p.after.ID, Title: p.after.Title, Before: a, After: b}
	return t, math.Abs(a-b) >= leastSeconds && max(a, b) >= leastFactor*min(a, b)
}

func stepSeen(s *journal.StepResult) *StepSeen {
	if s == nil {
		return nil
	}
	return &StepSeen{Verdict: s.Outcome(), Showed: showed(*s), Seconds: s.Seconds}
}

// showed is what decided about a step: an error, the first check that does not
// hold on the last attempt of a node, or else the first line of what it printed.
func showed(s journal.StepResult) string {
	if s.Error != "" {
		return s.Error
	}
	last := map[string]journal.Attempt{}
	var nodes []string
	for _, a := range s.Attempts {
		if _, seen := last[a.Node]; !seen {
			nodes = append(nodes, a.Node)
		}
		last[a.Node] = a
	}
	printed := ""
	for _, node := range nodes {
		a := last[node]
		if a.Error != "" {
			return node + ": " + a.Error
		}
		for _, c := range a.Checks {
			if c.Verdict != plan.Pass.String() {
				return node + ": " + missed(c)
			}
		}
		if line, _, _ := strings.Cut(strings.TrimSpace(a.Stdout), "\n"); line != "" && printed == "" {
			printed = node + ": " + line
		}
	}
	for _, c := range s.Checks {
		if c.Verdict != plan.Pass.String() {
			return missed(c)
		}
	}
	return printed
}

func missed(c journal.CheckResult) string {
	if c.Got == "" {
		return c.Want
	}
	return c.Want + "; came: " + c.Got
}

func script(s journal.StepResult) string {
	for _, a := range s.Attempts {
		if a.Script != "" {
			return a.Script
		}
	}
	return ""
}
