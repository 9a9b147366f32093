package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"labctl/internal/compare"
	"labctl/internal/durable"
	"labctl/internal/journal"
	"labctl/internal/report"
)

func (a *app) historyCommand() *cobra.Command {
	var output, page string
	var folders []string
	cmd := &cobra.Command{
		Use:   "history [LAB…]",
		Short: "Tell how verdicts and times went over many runs",
		Long: `Tell the history of labs, of all that have runs if none is named: one line a run,
steps that pass on some nights and not on others, steps that come nearer to their
time limits, and claims whose verdict changed. The runs are those of the state
folder and of each folder of --runs; one that is in both counts once. Runs on
different kernels or accelerators are different series, and never compared.`,
		Example: "  labctl history conntrack-reset\n  labctl history --runs ./artifacts --html history.html",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			all, err := a.histories(cmd.Context(), args, folders)
			if err != nil {
				return err
			}
			if page != "" {
				content, err := report.HistoryHTML(all)
				if err == nil {
					err = durable.WriteFile(page, content, 0o644)
				}
				if err != nil {
					return fmt.Errorf("writing the page of the history: %w", err)
				}
				fmt.Fprintln(a.stderr, "written:", page)
			}
			if output != plainOutput {
				return a.encode(output, all)
			}
			for i, h := range all {
				if i > 0 {
					fmt.Fprintln(a.stdout)
				}
				report.History(a.stdout, h)
			}
			return nil
		},
	}
	outputFlag(cmd, &output)
	cmd.Flags().StringVar(&page, "html", "", "write a page with plots into this `FILE` as well")
	cmd.Flags().StringArrayVar(&folders, "runs", nil, "runs are also below this `FOLDER`, however deep; may be given again")
	return cmd
}

// histories are those of the labs that are named, or of all that have runs.
func (a *app) histories(ctx context.Context, names, folders []string) ([]compare.History, error) {
	own, err := a.runsDir()
	if err != nil {
		return nil, err
	}
	paths, err := journal.Find(own)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(names) > 0 {
		paths = slices.DeleteFunc(paths, func(path string) bool { return !slices.Contains(names, filepath.Base(filepath.Dir(path))) })
	}
	for _, folder := range folders {
		more, err := journal.Find(folder)
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}
	runs, err := newRunReader().all(ctx, paths)
	if err != nil {
		return nil, err
	}
	all := compare.Histories(runs)
	if len(all) == 0 && len(names) == 0 {
		fmt.Fprintln(a.stderr, "no runs in", strings.Join(append([]string{own}, folders...), ", "))
	}
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, h := range all {
		known = append(known, h.Lab)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, noRunsError{name, own}
		}
	}
	return slices.DeleteFunc(all, func(h compare.History) bool { return !slices.Contains(names, h.Lab) }), nil
}

// noRunsError is a lab without any runs.
type noRunsError struct{ lab, runs string }

func (e noRunsError) Error() string {
	return fmt.Sprintf("telling the history of lab %q: it has no runs", e.lab)
}
func (e noRunsError) Hint() string {
	return fmt.Sprintf("the runs are in %s; name another folder with --runs", e.runs)
}
