package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"labctl/internal/journal"
	"labctl/internal/report"
)

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
			fmt.Fprintln(a.stdout, filepath.Join(to, report.HTMLFile))
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "report", "", "write them into this `FOLDER` instead of the run's own")
	return cmd
}
