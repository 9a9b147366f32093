package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"labctl/internal/restore"
	"labctl/provision"
)

func (a *app) resetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reset [NAME]",
		Short: "Put a pair back to where it was when it became ready",
		Long: `Revert all nodes to the checkpoint together, running, step their clocks and
climb the ladder of readiness. Where the hypervisor has no checkpoints the
nodes' disks are made anew and provisioned again, which takes as long as "up".`,
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			start := time.Now()
			if err := a.refuseHosts("resetting", firstOr(args, "")); err != nil {
				return err
			}
			c, rec, err := a.openPair(cmd.Context(), firstOr(args, ""), false)
			if err != nil {
				return err
			}
			defer c.Hypervisor.Close()
			unlock, err := provision.Lock(c.Dir, c.Name, "reset "+c.Name)
			if err != nil {
				return err
			}
			defer unlock()
			if err := c.Reset(cmd.Context()); err != nil {
				return err
			}
			// At the checkpoint no lab has run yet: whatever one owed is paid.
			if err := restore.ClearOwed(c.Dir); err != nil {
				return err
			}
			fmt.Fprintf(a.stderr, "pair %q is as it was when it became ready (%.1f s)\n", rec.Name, time.Since(start).Seconds())
			return nil
		},
	}
}

func firstOr(args []string, fallback string) string {
	if len(args) > 0 {
		return args[0]
	}
	return fallback
}
