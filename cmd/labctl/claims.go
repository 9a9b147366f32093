package main

import (
	"github.com/spf13/cobra"

	"labctl/internal/journal"
	"labctl/internal/labrun"
	"labctl/internal/report"
	"labctl/labs"
)

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
