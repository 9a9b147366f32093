package labrun

import (
	"context"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/plan"
	"labctl/internal/restore"
)

// Owed returns what the cluster owes to an earlier run; nil if nothing.
func (r *Runner) Owed() (*restore.Owed, error) { return restore.ReadOwed(r.Place.Dir) }

// Pay tears down and restores what an earlier run left, whatever ended it: with
// the lab as that run had it, from its own baseline. What it does is appended to
// that run's journal, and its reports are written anew.
func (r *Runner) Pay(ctx context.Context, owed restore.Owed) (result journal.Result, dir string, err error) {
	folder, err := journal.OpenFolder(owed.Run)
	if err != nil {
		return result, "", err
	}
	l, err := FrozenLab(folder)
	if err != nil {
		return result, "", err
	}
	events, err := folder.Events()
	if err != nil {
		return result, "", err
	}
	base, err := restore.Load(folder.File(journal.BaselineFile))
	if err != nil {
		return result, "", err
	}
	if err := r.check(l); err != nil {
		return result, "", err
	}
	// What was given on the command line then is known, but for secrets: a script
	// sees those as they are written down, masked.
	vars := known(l, journal.Fold(events).Run)
	seen := &keptRun{captured: vars, inRows: plan.Captures{}} // what rows captured, no later step sees
	seen.take(events)
	rec, err := r.open(folder, &journal.Mask{}, events)
	if err != nil {
		return result, "", err
	}
	a := &run{Runner: r, lab: l, rec: rec, engine: r.engine(rec, vars), base: base, owed: true}
	if err := r.reach(ctx); err == nil {
		a.err = r.sweep(ctx)
	}
	a.putBack(ctx)
	return a.finish()
}

// FrozenLab loads the lab as a run had it.
func FrozenLab(folder *journal.Folder) (lab.Lab, error) {
	content, err := folder.Raw(journal.LabFile, "")
	if err != nil {
		return lab.Lab{}, err
	}
	return lab.Parse(folder.File(journal.LabFile), content)
}
