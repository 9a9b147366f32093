package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/labrun"
	"labctl/internal/report"
	"labctl/labs"
)

// runLab runs one lab. An error says that nothing was run, or that something of
// the run could not be written.
func (a *app) runLab(ctx context.Context, name string, o runOptions) (journal.Result, error) {
	l, file, err := labs.Read(name)
	if err != nil {
		return journal.Result{}, err
	}
	if o.Drill != "" {
		// What the lab does not have needs no pair to be told.
		if _, _, err := labrun.FindDrill(l, o.Drill); err != nil {
			return journal.Result{}, err
		}
	}
	acts, err := o.actsOf(name, l)
	if err != nil {
		return journal.Result{}, err
	}
	p, err := a.openPlace(ctx, o.placeOptions, "run "+l.Name)
	if err != nil {
		return journal.Result{}, err
	}
	defer p.close()
	show := newProgress(a.stderr, o.verbose)
	listen, learner := show.event, labrun.Dialogue(nil)
	if o.Drill != "" {
		listen, learner = a.drillTalk(ctx, l, p, show, o)
	}
	var leader labrun.Instructor
	if o.Led {
		i := a.leads(ctx, p, show)
		listen, leader = i.show.event, i
	}
	if o.shown != nil {
		told, done := o.shown(l, p, listen)
		defer done()
		listen = told
	}
	r, err := a.labRunner(p, a.listen(listen, &o))
	if err != nil {
		return journal.Result{}, err
	}
	r.Dialogue, r.Instructor = learner, leader
	defer a.last.set(nil)
	if o.report != "" {
		inFolder := r.Report
		r.Report = func(dir string, result journal.Result) error {
			return errors.Join(inFolder(dir, result), report.Write(o.reportDir(l.Name), result))
		}
	}
	if err := a.payFirst(ctx, r, l, o); err != nil {
		return journal.Result{}, err
	}
	source := labrun.Source{Lab: l, File: file, Topology: p.frozen}
	if o.sabotage {
		return a.sabotage(ctx, r, source, acts, o)
	}
	result, dir, err := r.Lab(ctx, source, o.Options)
	if dir != "" {
		a.summary(result, dir, r.Place.Hosts, o.output)
	}
	return result, err
}

// payFirst puts back what an earlier run left, unless this one goes on with it, or
// cannot begin at all.
func (a *app) payFirst(ctx context.Context, r *labrun.Runner, l lab.Lab, o runOptions) error {
	owed, err := r.Owed()
	if err != nil || owed == nil {
		return err
	}
	if labrun.GoesOn(l.Name, o.Options, *owed) {
		return nil
	}
	if err := r.Possible(l, o.Options); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "run %s left the cluster changed: putting it back first\n", filepath.Base(owed.Run))
	result, _, err := r.Pay(ctx, *owed)
	if err != nil {
		return err
	}
	if result.Restore.Verdict != journal.Restored {
		return &labrun.OwedError{Owed: *owed, Hosts: r.Place.Hosts}
	}
	return nil
}

// summary says what became of a run, what to do about it, and where to read more.
// Hosts is the topology's file where they exist already.
func (a *app) summary(result journal.Result, dir, hosts, output string) {
	if output == plainOutput {
		report.Console(a.stdout, result)
	}
	if hint := remedy(result, hosts); hint != "" {
		fmt.Fprintf(a.stderr, "hint: %s\n", hint)
	}
	fmt.Fprintf(a.stderr, "\nreports and journal: %s\n", dir)
}
