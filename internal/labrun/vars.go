package labrun

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/plan"
	"labctl/internal/restore"
	"labctl/internal/strictyaml"
)

// variables are those of the lab, with the values that were given, and what of
// them must be masked.
func variables(l lab.Lab, given map[string]string) (map[string]string, *journal.Mask, error) {
	valid := slices.Sorted(maps.Keys(l.Vars))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(valid, name) {
			return nil, nil, &SelectionError{Lab: l.Name, Text: fmt.Sprintf("it has no variable %q", name), Advice: strictyaml.Suggest(name, valid)}
		}
	}
	vars, mask := map[string]string{}, &journal.Mask{}
	for _, name := range valid {
		v := l.Vars[name]
		value, ok := given[name]
		if !ok && v.Default == nil {
			return nil, nil, &SelectionError{Lab: l.Name, Text: fmt.Sprintf("variable %q has no value", name), Advice: "give it one: --var " + name + "=VALUE"}
		}
		if !ok {
			value = *v.Default
		}
		if v.Secret {
			if err := mask.Add(value); err != nil {
				return nil, nil, fmt.Errorf("taking variable %q: %w", name, err)
			}
		}
		vars[name] = value
	}
	return vars, mask, nil
}

// keptRun is a run whose cluster was kept, and what its steps captured.
type keptRun struct {
	restore.Owed
	captured map[string]string
	inRows   plan.Captures
	// given are the values that its variables had, but for secrets.
	given map[string]string
}

// GoesOn tells whether a run with these options goes on with the cluster that an
// earlier one left: the same lab's, and left on purpose. Of one that was killed
// nobody knows what it was at; it is paid for first.
func GoesOn(lab string, o Options, owed restore.Owed) bool {
	if owed.Lab != lab || o.From == "" && len(o.Only) == 0 {
		return false
	}
	events, err := journal.Read(filepath.Join(owed.Run, journal.JournalFile))
	return err == nil && journal.Fold(events).Restore.Verdict == journal.Kept
}

// keptRun finds what a run goes on with. What is owed otherwise is an OwedError.
func (r *Runner) keptRun(l lab.Lab, o Options) (*keptRun, error) {
	owed, err := restore.ReadOwed(r.Place.Dir)
	if err != nil || owed == nil {
		return nil, err
	}
	if !GoesOn(l.Name, o, *owed) {
		return nil, &OwedError{*owed, r.Place.Hosts}
	}
	folder, err := journal.OpenFolder(owed.Run)
	if err != nil {
		return nil, err
	}
	events, err := folder.Events()
	if err != nil {
		return nil, err
	}
	run := journal.Fold(events).Run
	kept := &keptRun{Owed: *owed, given: map[string]string{}, captured: map[string]string{}, inRows: rowsOf(run)}
	maps.Copy(kept.captured, run.Captured) // it may have gone on itself
	kept.take(events)
	for name, value := range run.Vars {
		if v, ok := l.Vars[name]; ok && !v.Secret {
			kept.given[name] = value
		}
	}
	return kept, nil
}

// known are the values that a recorded run began with: the lab's own, what was
// given in their place, and what a run before had captured.
func known(l lab.Lab, run journal.Run) map[string]string {
	vars := map[string]string{}
	for name, v := range l.Vars {
		if v.Default != nil {
			vars[name] = *v.Default
		}
	}
	maps.Copy(vars, run.Vars)
	maps.Copy(vars, run.Captured)
	return vars
}

// rowsOf is what the rows of a recorded run's tables had captured when it began.
func rowsOf(run journal.Run) plan.Captures {
	rows := plan.Captures{}
	for _, r := range run.InRows {
		rows[plan.RowKey{Table: r.Table, Number: r.Row}] = maps.Clone(r.Captured)
	}
	return rows
}

// take notes what the steps of the run have captured. Secrets are masked there, so
// what needs one must be captured again.
func (k *keptRun) take(events []journal.Event) {
	for _, e := range events {
		var s plan.Step
		if e.Table != "" {
			s.Row = &plan.Row{Table: e.Table, Number: e.Row}
		}
		k.inRows.Add(s, e.Captured, k.captured)
	}
}

// masked is what was captured, as it may be written down.
func (k *keptRun) masked(mask *journal.Mask) (map[string]string, []journal.RowCaptured) {
	all := func(captured map[string]string) map[string]string {
		texts := map[string]string{}
		for name, value := range captured {
			texts[name] = mask.Text(value)
		}
		return texts
	}
	var rows []journal.RowCaptured
	for key, captured := range k.inRows {
		rows = append(rows, journal.RowCaptured{Table: key.Table, Row: key.Number, Captured: all(captured)})
	}
	slices.SortFunc(rows, func(a, b journal.RowCaptured) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Row, b.Row))
	})
	return all(k.captured), rows
}

// with are the values given now, and those given then where there are none.
func (k *keptRun) with(given map[string]string) map[string]string {
	if k == nil {
		return given
	}
	all := maps.Clone(k.given)
	maps.Copy(all, given)
	return all
}

func (k *keptRun) vars(vars map[string]string) map[string]string {
	all := map[string]string{}
	if k != nil {
		maps.Copy(all, k.captured)
	}
	maps.Copy(all, vars)
	return all
}

// rows is what the rows of tables captured then.
func (k *keptRun) rows() plan.Captures {
	if k == nil {
		return plan.Captures{}
	}
	return k.inRows
}
