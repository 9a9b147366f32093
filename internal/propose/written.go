package propose

import (
	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/plan"
)

// puttingBack are the steps of teardown and repair, by their places, and whether the
// run was cut: did not come to all of the lab's own.
func puttingBack(l lab.Lab, told map[string]journal.StepResult) (back map[string]bool, cut bool) {
	back = map[string]bool{}
	for _, p := range []plan.Plan{l.Teardown, l.Repair} {
		for _, s := range p.Steps {
			back[s.Pos] = true
		}
	}
	for _, s := range l.Steps.Steps {
		cut = cut || s.Background == nil && len(told[s.ID].Attempts) == 0
	}
	return back, cut
}

// written are the steps of a lab as its file has them: those that a table's step
// has become are together.
func written(l lab.Lab) [][]plan.Step {
	var all [][]plan.Step
	place := map[string]int{}
	for _, p := range l.Plans() {
		for _, s := range p.Steps {
			i, ok := place[s.Pos]
			if !ok {
				i = len(all)
				place[s.Pos] = i
				all = append(all, nil)
			}
			all[i] = append(all[i], s)
		}
	}
	return all
}
