package labrun

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"labctl/internal/lab"
	"labctl/internal/plan"
	"labctl/internal/remote"
	"labctl/internal/restore"
)

// look takes the cluster's fingerprint.
func (r *Runner) look(ctx context.Context) (restore.Fingerprint, error) {
	if r.Place.Look != nil {
		return r.Place.Look(ctx)
	}
	var nodes []string
	for _, n := range r.Place.Info.Nodes {
		nodes = append(nodes, n.Name)
	}
	return restore.Take(ctx, nodes, r.Place.ControlPlane, r.Place.Conn, r.scaled(fingerprintLimit))
}

// check refuses a lab that cannot run here, before anything of it runs.
func (r *Runner) check(l lab.Lab) error {
	e := r.engine(&record{}, nil)
	var errs error
	for _, p := range l.Plans() {
		errs = errors.Join(errs, e.Check(p))
	}
	return errs
}

//go:embed sweep.sh
var sweepScript string

// sweep kills what the steps of a run that was killed have left running.
func (r *Runner) sweep(ctx context.Context) error {
	for _, n := range r.Place.Info.Nodes {
		conn, err := r.Place.Conn(ctx, n.Name)
		if err != nil {
			return err
		}
		out, err := conn.Run(ctx, remote.Command{
			Script: sweepScript, Root: true, Timeout: r.scaled(reachLimit), Env: map[string]string{"name": remote.Mark},
		})
		if err == nil && (out.Exit != 0 || out.TimedOut) {
			err = fmt.Errorf("exit code %d: %s", out.Exit, plan.Normalise(string(out.Stderr)))
		}
		if err != nil {
			return fmt.Errorf("ending what an earlier run left running on node %q: %w", n.Name, err)
		}
	}
	return nil
}
