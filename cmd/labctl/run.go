package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/labrun"
	"labctl/internal/plan"
	"labctl/internal/report"
	"labctl/labs"
)

type runOptions struct {
	placeOptions
	labrun.Options
	all      bool
	several  bool // labs: each has its own folder of reports
	sabotage bool
	acts     []string // of the sabotage, these alone
	record   bool     // propose expectations when it is done
	keep     string
	vars     []string
	report   string
	output   string
	verbose  bool
	// shown lets a live page follow the run on a place; nil if there is none. What it
	// returns is called when the run is over.
	shown func(l lab.Lab, p *place, listen journal.Listener) (journal.Listener, func())
}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run LAB…",
		Short: "Run labs on a pair, judge their claims, put the pair back",
		Long: `Run labs, names of the catalogue or paths of files: the steps in order, the
write-up's own teardown whatever became of them, then the lab's repair and, where
that is not enough, the pair's checkpoint, until the cluster is as it was before
the first step. Each claim of the write-up gets a verdict from what the cluster
showed. Journal, raw output and reports are kept in a folder of the run's own.

The first Ctrl-C ends the step at hand and puts the cluster back; the second
leaves at once and says what is owed. What is owed, after a kill too, is paid by
the next run or by "labctl teardown".

With --step you lead: before each step you see what it does and say what
becomes of it. Enter runs it; other letters, or words, open a shell on its node,
run the last step again, skip, run on to a step, show what should come, go on after
a step that did not pass, end the run, or end it and keep the cluster; ? lists them.
A script says the same on standard input, one order a line, and the lines from "s"
to "exit" are a shell's. Where the input ends, so does the run, and the cluster is
put back.

With --drill the lab's fault is yours to find: the pair is broken, you are told
a symptom, look at the pair in another terminal, choose the cause and mend it.
Then the pair is put back as ever.

The exit code is 0 if all checks held and the cluster is restored, 1 if a check
did not hold, 2 if it could not be told, 3 if the cluster is not as it was, 4 if
nothing was run. Of a drill it is 0 if it was solved, 1 if it was given up.`,
		Example: `  labctl run conntrack-reset
  labctl run ./my-lab --name second --report out
  labctl run conntrack-reset --seat 7
  labctl run conntrack-reset --topology hosts.yaml
  labctl run conntrack-reset --until step-05 --keep always
  labctl run conntrack-reset --from step-06
  labctl run conntrack-reset --step
  printf 'g step-05\ns\nip route\nexit\ng\n' | labctl run conntrack-reset --step
  labctl run ./my-lab --drill 1`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := o.or(nil); err != nil {
				return err
			}
			if o.allSeats {
				return a.runOnSeats(cmd.Context(), args, o)
			}
			return a.runLabs(cmd.Context(), args, o)
		},
	}
	runFlags(cmd, &o)
	allSeatsFlag(cmd, &o.meant)
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "run all labs of the catalogue")
	f.StringVar(&o.Drill, "drill", "", "find and mend one of the lab's faults: its number, as \"labctl show LAB\" lists them, or its `ID`")
	f.BoolVar(&o.sabotage, "sabotage", false, "break the cluster as the lab's sabotage.yaml says, and demand that its checks notice")
	f.StringSliceVar(&o.acts, "acts", nil, "with --sabotage, these `ACTS` of it alone")
	f.BoolVar(&o.record, "record", false, "when it is done, propose to write into the lab's file what it has shown, as \"labctl record\" does")
	return cmd
}

func (a *app) runLabs(ctx context.Context, names []string, o runOptions) error {
	if err := o.settle(names); err != nil {
		return err
	}
	var file string
	if o.record {
		var err error
		if file, err = labPath(names[0]); err != nil {
			return err
		}
	}
	if o.all {
		names = labs.Names()
	}
	o.several = o.all || len(names) > 1
	results := make([]journal.Result, 0, len(names)) // an empty list in JSON, not null
	worst := exitOK
	for i, name := range names {
		result, err := a.runLab(ctx, name, o)
		if err != nil && result.ExitCode == exitOK {
			result = notRun(ctx, result, name, err)
			if o.report != "" {
				err = errors.Join(err, report.Write(o.reportDir(result.Run.Lab), result))
			}
		}
		results = append(results, result)
		worst = worse(worst, result.ExitCode)
		switch {
		case err != nil && len(names) == 1 && result.Run.ID == "":
			if o.output == jsonOutput {
				err = errors.Join(err, a.encode(jsonOutput, results))
			}
			return err
		case err != nil:
			a.printError(err)
		}
		// On a cluster that is not as it was, no other lab could be judged.
		if left := names[i+1:]; len(left) > 0 && (ctx.Err() != nil || worst == exitUnrestored) {
			fmt.Fprintf(a.stderr, "not run: %s\n", strings.Join(left, ", "))
			break
		}
	}
	if o.output == jsonOutput {
		if err := a.encode(jsonOutput, results); err != nil {
			return err
		}
	}
	if o.record && ctx.Err() == nil {
		if err := a.recordRun(ctx, file, results[0].Run.ID); err != nil {
			return err
		}
	}
	if worst != exitOK {
		return exitCode(worst)
	}
	return nil
}

// notRun is the result of a lab of which nothing was run, or not all could be
// written.
func notRun(ctx context.Context, result journal.Result, name string, err error) journal.Result {
	result.ExitCode, result.Verdict, result.Error = exitError, plan.Error.String(), err.Error()
	var by interruptedBy
	if errors.As(context.Cause(ctx), &by) {
		result.ExitCode, result.Interrupted = 128+int(by.signal), by.signal.String()
	}
	if result.Run.Lab == "" {
		result.Run.Lab = name
	}
	return result
}

// worse is the code that says more: an interrupt, then a cluster that is not
// restored, then what could not be judged, what failed, what did not run.
func worse(a, b int) int {
	order := []int{exitOK, exitNothing, exitFailed, exitError, exitUsage, exitUnrestored}
	rank := func(code int) int {
		for i, c := range order {
			if c == code {
				return i
			}
		}
		return len(order)
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// reportDir is where --report puts one lab's reports.
func (o *runOptions) reportDir(lab string) string {
	if o.several {
		return filepath.Join(o.report, filepath.Base(lab))
	}
	return o.report
}
