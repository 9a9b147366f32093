package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"labctl/internal/restore"
	"labctl/provision"
)

func (a *app) resetCommand() *cobra.Command {
	var m meant
	cmd := &cobra.Command{
		Use:   "reset [NAME]",
		Short: "Put a pair back to where it was when it became ready",
		Long: `Revert all nodes to the checkpoint together, running, step their clocks and
climb the ladder of readiness. Where the hypervisor has no checkpoints the
nodes' disks are made anew and provisioned again, which takes as long as "up".`,
		Example: "  labctl reset\n  labctl reset --seat 7\n  labctl reset --all-seats",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := m.or(args)
			if err != nil {
				return err
			}
			if m.allSeats {
				return a.onAllSeats(cmd.Context(), m, func(ctx context.Context, a *app, seat string) error {
					return a.reset(ctx, seat)
				})
			}
			return a.reset(cmd.Context(), name)
		},
	}
	seatFlag(cmd, &m)
	allSeatsFlag(cmd, &m)
	return cmd
}

func (a *app) reset(ctx context.Context, name string) error {
	start := time.Now()
	if err := a.refuseHosts("resetting", name); err != nil {
		return err
	}
	c, rec, err := a.openPair(ctx, name, false)
	if err != nil {
		return err
	}
	defer c.Hypervisor.Close()
	unlock, err := provision.Lock(c.Dir, c.Name, "reset "+c.Name)
	if err != nil {
		return err
	}
	defer unlock()
	if err := c.Reset(ctx); err != nil {
		return err
	}
	// At the checkpoint no lab has run yet: whatever one owed is paid.
	if err := restore.ClearOwed(c.Dir); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "pair %q is as it was when it became ready (%.1f s)\n", rec.Name, time.Since(start).Seconds())
	return nil
}

func firstOr(args []string, fallback string) string {
	if len(args) > 0 {
		return args[0]
	}
	return fallback
}
