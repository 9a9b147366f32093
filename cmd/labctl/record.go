package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/labrun"
	"labctl/internal/report"
	"labctl/labs"
)

// openRun opens a recorded run: a folder, LAB for the lab's latest run, or
// LAB/TIME, which is what the reports call it.
func (a *app) openRun(name string) (*journal.Folder, error) {
	if _, err := os.Stat(filepath.Join(name, journal.JournalFile)); err == nil {
		return journal.OpenFolder(name)
	}
	runs, err := a.runsDir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(runs, name)
	if !filepath.IsLocal(name) {
		path = name
	} else if filepath.Dir(name) == "." {
		path = filepath.Join(path, "latest")
	}
	folder, err := journal.OpenFolder(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noRunError{name, runs}
	}
	return folder, err
}

type noRunError struct{ name, runs string }

func (e noRunError) Error() string { return fmt.Sprintf("opening run %q: there is none", e.name) }
func (e noRunError) Hint() string {
	return fmt.Sprintf("name a lab for its latest run, LAB/TIME, or a folder; the runs are in %s", e.runs)
}

func (a *app) reportCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Write the reports of a recorded run again",
		Long: `Write report.html, report.md, junit.xml and result.json from a run's journal, also
of a run that was killed. RUN is a lab's name (its latest run), LAB/TIME, or a
folder.`,
		Args: exactly("RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			folder, err := a.openRun(args[0])
			if err != nil {
				return err
			}
			events, err := folder.Events()
			if err != nil {
				return err
			}
			to := folder.Path
			if dir != "" {
				to = dir
			}
			if err := report.Write(to, journal.Fold(events)); err != nil {
				return err
			}
			fmt.Fprintln(a.stdout, filepath.Join(to, "report.html"))
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "report", "", "write them into this `FOLDER` instead of the run's own")
	return cmd
}

func (a *app) judgeCommand() *cobra.Command {
	var file, output string
	cmd := &cobra.Command{
		Use:   "judge RUN",
		Short: "Judge a recorded run by today's checks, without any machine",
		Long: `Judge what a run has printed by the lab's checks as they are now: the lab of the
catalogue, or that of --lab. No machine is asked, so a changed check is tried in
a second. The exit code is that of a run with these verdicts.`,
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
	cmd.Flags().StringVar(&file, "lab", "", "judge by this `LAB`, a name or a path; that of the catalogue if there is none")
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
		return frozen, nil
	}
	// What was valid once may be no more; its name is still there to read.
	events, readErr := folder.Events()
	if readErr != nil {
		return lab.Lab{}, errors.Join(err, readErr)
	}
	return labs.Open(journal.Fold(events).Run.Lab)
}

func (a *app) claimsCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "claims LAB [RUN]",
		Short: "List a lab's claims, and what a run showed of each",
		Long: `List each claim of a lab's write-up: its id, where it stands, what it says, the
step that proves it and, with RUN, what the cluster showed and the verdict,
judged anew by the lab's checks as they are now.`,
		Example: "  labctl claims conntrack-reset\n  labctl claims conntrack-reset conntrack-reset -o json",
		Args:    between(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			l, err := labs.Open(args[0])
			if err != nil {
				return err
			}
			result := journal.Fold([]journal.Event{{Type: journal.RunStarted, Run: &journal.Run{
				Lab: l.Name, Title: l.Title, Writeup: l.Writeup, Claims: labrun.Claims(l),
			}}})
			if len(args) == 2 {
				if result, err = a.judgeRun(args[1], args[0]); err != nil {
					return err
				}
			}
			if output != plainOutput {
				return a.encode(output, result.Claims)
			}
			report.Claims(a.stdout, result)
			return nil
		},
	}
	outputFlag(cmd, &output)
	return cmd
}
