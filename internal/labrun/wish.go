package labrun

import (
	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/plan"
)

// wish is what a run is to do, settled from its lab, its options and what it goes
// on with. No machine is asked for it.
type wish struct {
	vars, all map[string]string // the lab's own; with what was captured before
	mask      *journal.Mask
	rows      plan.Captures
	drill     *lab.Drill // nil for a run of the lab itself
	info      *journal.DrillInfo
	chosen    map[string]bool
	steps     []plan.Step // in the order in which they are run
}

// wish refuses what the lab cannot grant.
func (r *Runner) wish(l lab.Lab, o Options, kept *keptRun) (w wish, err error) {
	if w.vars, w.mask, err = variables(l, kept.with(o.Vars)); err != nil {
		return wish{}, err
	}
	w.all, w.rows = kept.vars(w.vars), kept.rows()
	var choice Options
	if w.drill, w.info, choice, err = drillOf(l, o); err != nil {
		return wish{}, err
	}
	if w.chosen, err = selected(l, choice, w.all, w.rows); err != nil {
		return wish{}, err
	}
	if w.steps, err = shuffled(l, o.Seed); err != nil {
		return wish{}, err
	}
	l.Steps.Steps = w.steps
	return w, r.check(l)
}

// Possible says what would keep a run with these options from beginning on a
// cluster that owes nothing: a step that is not there or that needs what another
// captures, a variable without a value, a drill that is none. Ask before paying
// what an earlier run owes: a slip should not cost a cluster that was kept.
func (r *Runner) Possible(l lab.Lab, o Options) error {
	_, err := r.wish(l, o, nil)
	return err
}
