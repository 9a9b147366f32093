package labrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/plan"
	"labctl/internal/restore"
	"labctl/internal/runner"
)

// Interruption is what the cause of a cancelled context may be: the signal that
// ended the steps. Any other cause counts as an interrupt.
type Interruption interface{ SignalOf() syscall.Signal }

// OwedError says that the cluster still owes the teardown of an earlier run.
type OwedError struct {
	restore.Owed
	// Hosts is the topology's file of the hosts that owe it; empty of a pair.
	Hosts string
}

func (e *OwedError) Error() string {
	return fmt.Sprintf("running a lab: the teardown of run %q is owed", e.Owed.Run)
}

// Hint says how it is paid.
func (e *OwedError) Hint() string {
	if e.Hosts != "" {
		return fmt.Sprintf("mend on these hosts what differs, or make them anew, then: labctl teardown %s --topology %s", e.Lab, e.Hosts)
	}
	return fmt.Sprintf("try again: labctl teardown %s --name %s; or go back to the checkpoint: labctl reset %s", e.Lab, e.Pair, e.Pair)
}

// Lab runs a lab in this place and puts the cluster back. The result says what
// became of it, its exit code included; where the result's folder is, comes
// beside it. An error means that nothing was run.
//
// When ctx ends, the step at hand is killed on its nodes, and teardown and
// restore follow all the same, in a time of their own.
func (r *Runner) Lab(ctx context.Context, s Source, o Options) (result journal.Result, dir string, err error) {
	kept, err := r.keptRun(s.Lab, o)
	if err != nil {
		return result, "", err
	}
	w, err := r.wish(s.Lab, o, kept)
	if err != nil {
		return result, "", err
	}
	s.Steps.Steps = w.steps
	if err := r.reach(ctx); err != nil {
		return result, "", err
	}
	begun := r.now()
	folder, err := journal.NewFolder(r.Runs, s.Name, begun)
	if err != nil {
		return result, "", err
	}
	for name, content := range map[string][]byte{journal.LabFile: s.File, journal.TopologyFile: s.Topology} {
		if err := folder.Write(name, content); err != nil {
			return result, "", err
		}
	}
	rec, err := r.open(folder, w.mask, nil)
	if err != nil {
		return result, "", err
	}
	a := &run{Runner: r, lab: s.Lab, rec: rec, engine: r.engine(rec, w.all), drill: w.drill}
	a.engine.Rows = w.rows
	info := r.info(s.Lab, folder, o)
	info.Drill = w.info
	info.Vars = map[string]string{}
	for name, value := range w.vars {
		info.Vars[name] = w.mask.Text(value)
	}
	if kept != nil {
		info.Captured, info.InRows = kept.masked(w.mask)
	}
	a.all(ctx, info, w.chosen, o, kept)
	return a.finish()
}

// run is one run of one lab.
type run struct {
	*Runner
	lab    lab.Lab
	rec    *record
	engine *runner.Engine
	drill  *lab.Drill // nil for a run of the lab itself
	lead   *lead      // nil for a run that nobody leads
	base   restore.Fingerprint
	owed   bool
	kept   bool
	err    error // why nobody could judge, or look
	signal syscall.Signal
}

func (r *Runner) info(l lab.Lab, folder *journal.Folder, o Options) journal.Run {
	info := r.Place.Info
	info.ID = filepath.Join(l.Name, filepath.Base(folder.Path))
	info.Lab, info.Title, info.Writeup = l.Name, l.Title, l.Writeup
	info.Scale = max(1, r.Place.Scale)
	info.From, info.Until, info.Only, info.Seed = o.From, o.Until, o.Only, o.Seed
	info.Led = o.Led
	info.Claims, info.Tables = Claims(l), Tables(l)
	return info
}

// all is the run, from its first event to the one before its last.
func (a *run) all(ctx context.Context, info journal.Run, chosen map[string]bool, o Options, kept *keptRun) {
	nodes, kubernetes, err := a.probe(ctx)
	if err == nil {
		info.Nodes, info.Kubernetes = nodes, kubernetes
	}
	a.rec.event(journal.Event{Type: journal.RunStarted, Time: a.now(), Run: &info})
	if err == nil {
		err = a.baseline(ctx, kept)
	}
	if err == nil {
		err = a.owe()
	}
	if err != nil {
		a.interrupted(ctx)
		a.err = err
		return
	}
	a.rec.enter(journal.Steps)
	a.engine.Skip = func(id string) string {
		if chosen[id] {
			return ""
		}
		return "not asked for"
	}
	verdict, err := a.led(ctx, o, chosen)
	a.engine.Skip = nil
	if err == nil && a.drill != nil {
		err = a.learn(ctx, *a.drill, verdict)
	}
	a.err = err
	a.interrupted(ctx)
	if a.signal == 0 && a.lead.keeps(o.Keep == KeepAlways || o.Keep == KeepOnFailure && verdict > plan.Pass) {
		a.kept = true
		return
	}
	a.putBack(ctx)
}

// baseline takes the fingerprint that everything later is compared with. A run
// that goes on with a kept one goes on with its baseline.
func (a *run) baseline(ctx context.Context, kept *keptRun) (err error) {
	if kept != nil {
		a.base, err = restore.Load(filepath.Join(kept.Run, journal.BaselineFile))
	} else {
		a.base, err = a.look(ctx)
	}
	if err == nil {
		err = restore.Save(a.rec.folder.File(journal.BaselineFile), a.base)
	}
	a.compared(journal.Event{Stage: journal.Baseline}, err)
	return err
}

// owe writes down that the cluster is about to change.
func (a *run) owe() error {
	err := restore.WriteOwed(a.Place.Dir, restore.Owed{
		Lab: a.lab.Name, Run: a.rec.folder.Path, Started: a.now().UTC(), PID: os.Getpid(), Pair: a.Place.Info.Pair,
	})
	a.owed = err == nil
	return err
}

// interrupted notes the signal that ended the context, once.
func (a *run) interrupted(ctx context.Context) {
	if ctx.Err() == nil || a.signal != 0 {
		return
	}
	a.signal = syscall.SIGINT
	var by Interruption
	if errors.As(context.Cause(ctx), &by) {
		a.signal = by.SignalOf()
	}
	a.rec.event(journal.Event{Type: journal.Interrupted, Time: a.now(), Text: a.signal.String()})
}

// finish writes the last event and the reports.
func (a *run) finish() (journal.Result, string, error) {
	result := a.rec.result()
	done := journal.Event{Type: journal.RunDone, Time: a.now(), Verdict: worst(result).String(), Seconds: result.Seconds}
	code := a.exitCode(result)
	done.ExitCode = &code
	if a.kept {
		done.Text = journal.Kept
	}
	if a.err != nil {
		done.Error, done.Hint = a.rec.mask.Text(a.err.Error()), hint(a.err)
	}
	a.rec.event(done)
	result = a.rec.result()
	err := a.rec.close()
	if a.Report != nil {
		err = errors.Join(err, a.Report(a.rec.folder.Path, result))
	}
	if err != nil && result.ExitCode == ExitPassed {
		result.ExitCode = ExitError
	}
	return result, a.rec.folder.Path, err
}

func hint(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// exitCode turns what happened into a code; the cluster's state comes first.
func (a *run) exitCode(r journal.Result) int {
	switch {
	case a.owed && !a.kept:
		return ExitUnrestored
	case a.signal != 0:
		return 128 + int(a.signal)
	case a.err != nil:
		return ExitError
	}
	return VerdictCode(r)
}
