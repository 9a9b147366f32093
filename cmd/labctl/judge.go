package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/labrun"
	"labctl/internal/report"
	"labctl/labs"
)

func (a *app) judgeCommand() *cobra.Command {
	var file, output string
	cmd := &cobra.Command{
		Use:   "judge RUN",
		Short: "Judge a recorded run by today's checks, without any machine",
		Long: `Judge what a run has printed by the lab's checks as they are now: the lab of the
catalogue, or that of --lab; of a lab of your own without --lab by those that it
had then. No machine is asked, so a changed check is tried in a second. The exit
code is that of a run with these verdicts.`,
		Example: "  labctl judge conntrack-reset --lab ./conntrack-reset",
		Args:    exactly("RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("output", output, plainOutput, jsonOutput); err != nil {
				return err
			}
			result, err := a.judgeRun(args[0], file)
			if err != nil {
				return err
			}
			if output == jsonOutput {
				err = a.encode(jsonOutput, result)
			} else {
				report.Console(a.stdout, result)
			}
			if code := labrun.VerdictCode(result); err == nil && code != exitOK {
				return exitCode(code)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&file, "lab", "", "judge by this `LAB`, a name or a path; else by that of the catalogue, else by the run's own")
	cmd.Flags().StringVarP(&output, "output", "o", plainOutput, `"plain" or "json"`)
	return cmd
}

func (a *app) judgeRun(run, file string) (journal.Result, error) {
	folder, err := a.openRun(run)
	if err != nil {
		return journal.Result{}, err
	}
	l, err := a.labOf(folder, file)
	if err != nil {
		return journal.Result{}, err
	}
	return labrun.Judge(folder, l)
}

// labOf is the lab to judge a run by: the one that is named, else that of the
// catalogue, else the one that the run keeps.
func (a *app) labOf(folder *journal.Folder, file string) (lab.Lab, error) {
	if file != "" {
		return labs.Open(file)
	}
	frozen, err := labrun.FrozenLab(folder)
	if err == nil {
		if l, err := labs.Open(frozen.Name); err == nil {
			return l, nil
		}
		fmt.Fprintf(a.stderr, "note: judged by lab %q as that run had it; by the file as it is now: --lab PATH\n", frozen.Name)
		return frozen, nil
	}
	// What was valid once may be no more; its name is still there to read.
	events, readErr := folder.Events()
	if readErr != nil {
		return lab.Lab{}, errors.Join(err, readErr)
	}
	return labs.Open(journal.Fold(events).Run.Lab)
}
