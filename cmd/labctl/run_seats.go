package main

import (
	"context"
	"path/filepath"
)

// runOnSeats runs labs on all seats, each as `run --seat` would.
func (a *app) runOnSeats(ctx context.Context, names []string, o runOptions) error {
	for _, not := range []struct {
		flag string
		said bool
	}{
		{"step", o.Led}, {"drill", o.Drill != ""}, {"record", o.record},
		{"topology", o.topology != ""}, {"output json", o.output == jsonOutput},
	} {
		if not.said {
			return usagef("leave out one of them; --seat NUMBER runs on one seat", "running labs: both --all-seats and --%s", not.flag)
		}
	}
	// A wrong command line is told once.
	checked := o
	if err := checked.settle(names); err != nil {
		return err
	}
	return a.onAllSeats(ctx, o.meant, func(ctx context.Context, a *app, seat string) error {
		o := o // each its own
		o.name, o.allSeats = seat, false
		if o.report != "" {
			o.report = filepath.Join(o.report, seat)
		}
		return a.runLabs(ctx, names, o)
	})
}
