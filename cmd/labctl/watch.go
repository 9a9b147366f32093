package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/labrun"
	"labctl/internal/report"
	"labctl/internal/saves"
)

func (a *app) watchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "watch LAB [RUN]",
		Short: "Judge a recorded run by a lab's file whenever that is saved",
		Long: `Judge what a run has printed, its latest one if none is named, by the checks of
a lab's file, at once and again whenever the file is saved, and show what came
out otherwise than before: steps, claims, checks. Slips are told with file, line
and column, as "labctl lint" does. A step whose script is not the one that was run
is "not run since": nobody knows what the new one would print.

Ctrl-C ends it.`,
		Example: "  labctl watch ./my-lab",
		Args:    between(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := labPath(args[0])
			if err != nil {
				return err
			}
			if len(args) > 1 { // what is not there now will not be there later
				if _, err := a.openRun(args[1]); err != nil {
					return err
				}
			}
			return a.watch(cmd.Context(), file, args[1:])
		},
	}
}

func (a *app) watch(ctx context.Context, file string, run []string) error {
	var last *report.Judgement
	err := saves.Watch(ctx, file, func(content []byte) {
		fmt.Fprintf(a.stdout, "%s %s\n", time.Now().Format(time.TimeOnly), file)
		began := time.Now()
		now, id, err := a.judgement(file, content, run)
		if err != nil {
			a.printError(err)
			return
		}
		report.Changes(a.stdout, last, now)
		fmt.Fprintf(a.stdout, "judged run %s in %.1f s\n\n", id, time.Since(began).Seconds())
		last = &now
	})
	if err != nil {
		return err
	}
	var by interruptedBy
	if errors.As(context.Cause(ctx), &by) && by.signal == syscall.SIGINT {
		return nil // the way to end it
	}
	return context.Cause(ctx)
}

// judgement is what a run comes to by a lab's file, and which run that is. The
// latest is looked for each time: there may be a newer one.
func (a *app) judgement(file string, content []byte, run []string) (report.Judgement, string, error) {
	l, err := lab.Parse(file, content)
	if err != nil {
		return report.Judgement{}, "", err
	}
	name := l.Name
	if len(run) > 0 {
		name = run[0]
	}
	folder, err := a.openRun(name)
	if err != nil {
		return report.Judgement{}, "", err
	}
	result, err := labrun.Judge(folder, l)
	if err != nil {
		return report.Judgement{}, "", err
	}
	return report.Judged(l.Plans(), result), runName(folder, result), nil
}

// runName is what reports call a run, or its folder.
func runName(folder *journal.Folder, r journal.Result) string {
	if r.Run.ID != "" {
		return r.Run.ID
	}
	return filepath.Base(folder.Path)
}
