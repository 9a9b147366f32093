package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"labctl/internal/compare"
	"labctl/internal/report"
)

func (a *app) diffCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "diff RUN1 RUN2",
		Short: "Tell what is different between two runs of a lab",
		Long: `Tell what is different between two runs of a lab, or of two versions of it: what
each was made on, claims and steps whose verdict is another or that only one of
them has, with what decided, and steps that ` + compare.TimingRule + `.
RUN is a lab's name (its latest run), LAB/TIME, or a folder. Verdicts are those of
the runs; nothing is judged anew.

Exit codes: 0 no verdict differs, 1 one does, 2 that cannot be told.`,
		Example: "  labctl diff conntrack-reset/20260102T030405Z conntrack-reset\n  labctl diff ./last-night ./tonight -o json",
		Args:    exactly("RUN1", "RUN2"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			before, err := a.runToCompare(args[0])
			if err != nil {
				return err
			}
			after, err := a.runToCompare(args[1])
			if err != nil {
				return err
			}
			d, err := compare.Two(before, after)
			if err != nil {
				return err
			}
			if output != plainOutput {
				err = a.encode(output, d)
			} else {
				report.Diff(a.stdout, d, before.Result, after.Result)
			}
			switch {
			case err != nil:
				return err
			case d.Differs:
				return exitCode(exitFailed)
			case !d.Told:
				return exitCode(exitError)
			}
			return nil
		},
	}
	outputFlag(cmd, &output)
	return cmd
}

// runToCompare reads a run whole; one that is damaged is an error.
func (a *app) runToCompare(name string) (compare.Run, error) {
	folder, err := a.openRun(name)
	if err != nil {
		return compare.Run{}, err
	}
	events, err := folder.Events()
	if err != nil {
		return compare.Run{}, err
	}
	r := newRunReader().of(folder.Path, events)
	if r.Damage != "" {
		return compare.Run{}, damagedError{name, r.Damage}
	}
	return r, nil
}

// damagedError is a run of which not even its beginning can be read.
type damagedError struct{ run, damage string }

func (e damagedError) Error() string { return fmt.Sprintf("reading run %q: %s", e.run, e.damage) }
