package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"labctl/internal/journal"
)

func (a *app) teardownCommand() *cobra.Command {
	var (
		o       placeOptions
		verbose bool
	)
	cmd := &cobra.Command{
		Use:   "teardown [LAB]",
		Short: "Put back what a run left: kept on purpose, interrupted or killed",
		Long: `Pay what a cluster owes: run the teardown and the repair of the lab that was run
last and not put back, and where that is not enough go back to the checkpoint,
until the cluster is as it was before that run. Without anything owed it does
nothing.`,
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.openPlace(cmd.Context(), o, "teardown")
			if err != nil {
				return err
			}
			defer p.close()
			r, err := a.labRunner(p, newProgress(a.stderr, verbose).event)
			if err != nil {
				return err
			}
			owed, err := r.Owed()
			if err != nil {
				return err
			}
			if owed == nil {
				fmt.Fprintf(a.stderr, "nothing is owed: pair %q is as it was before its last run\n", p.cluster.Name)
				return nil
			}
			if len(args) == 1 && args[0] != owed.Lab {
				return usagef("labctl teardown "+owed.Lab, "tearing down lab %q: what is owed is the teardown of %q", args[0], owed.Lab)
			}
			result, dir, err := r.Pay(cmd.Context(), *owed)
			if dir != "" {
				a.summary(result, dir, r.Place.Hosts, plainOutput)
			}
			if err != nil {
				return err
			}
			if result.Restore.Verdict != journal.Restored {
				return exitCode(exitUnrestored)
			}
			if result.Error != "" || result.Interrupted != "" && cmd.Context().Err() != nil {
				return exitCode(result.ExitCode)
			}
			return nil
		},
	}
	placeFlags(cmd, &o)
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show every attempt's script and output")
	return cmd
}
