package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"labctl/internal/restore"
	"labctl/provision"
)

func (a *app) statusCommand() *cobra.Command {
	var m meant
	var output string
	cmd := &cobra.Command{
		Use:   "status [NAME]",
		Short: "Show the pairs there are",
		Args:  atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			name, err := m.or(args)
			if err != nil {
				return err
			}
			found, err := a.statuses(cmd.Context(), name)
			if found == nil {
				return err
			}
			if output != plainOutput {
				return errors.Join(a.encode(output, found), err)
			}
			return errors.Join(a.printStatuses(found), err)
		},
	}
	outputFlag(cmd, &output)
	seatFlag(cmd, &m)
	return cmd
}

// statuses looks at one pair, or at all at once. What could not be looked at is
// in the error, beside the statuses of the others.
func (a *app) statuses(ctx context.Context, name string) ([]pairStatus, error) {
	records, damaged := a.pairs()
	if name != "" {
		records = slices.DeleteFunc(records, func(r provision.Record) bool { return r.Name != name })
		if len(records) == 0 {
			_, _, err := a.record(name)
			return nil, err
		}
		damaged = nil // another pair's
	}
	found, err := a.look(ctx, records)
	return found, errors.Join(err, damaged)
}

// look looks at pairs, at all at once, as statuses does.
func (a *app) look(ctx context.Context, records []provision.Record) ([]pairStatus, error) {
	found := make([]pairStatus, len(records)) // an empty list in JSON, not null
	errs := make([]error, len(records))
	var wg sync.WaitGroup
	for i, r := range records {
		wg.Go(func() {
			var owedErr error
			found[i].Status, errs[i] = a.statusOf(ctx, r)
			found[i].Owed, owedErr = a.owedBy(r.Name)
			errs[i] = errors.Join(errs[i], owedErr)
		})
	}
	wg.Wait()
	return found, errors.Join(errs...)
}

func (a *app) statusOf(ctx context.Context, r provision.Record) (provision.Status, error) {
	c, rec, err := a.openPair(ctx, r.Name, true)
	if err == nil {
		defer c.Hypervisor.Close()
		return c.Status(ctx, rec)
	}
	s := provision.Status{
		Name: r.Name, Hypervisor: r.Hypervisor, Accelerator: r.Accelerator, Image: r.Image.ID, Kernel: r.Image.KernelRelease,
		Started: r.Started, Ready: r.Ready, Checkpoint: r.Checkpoint, Problem: err.Error(),
		Nodes: []provision.NodeStatus{}, // an empty list in JSON, not null
	}
	if errors.Is(err, provision.ErrNotFound) {
		s.Problem = notRunning
		return s, nil
	}
	return s, fmt.Errorf("looking at pair %q: %w", r.Name, err)
}

// notRunning is the problem of a pair after its machine was started anew.
const notRunning = "its private hypervisor does not run; `labctl up` starts it again"

// pairStatus is a pair's status, and what it owes to a lab.
type pairStatus struct {
	provision.Status
	Owed *restore.Owed `json:"owed,omitempty"`
}

// owedBy reads what a pair owes; nil if nothing.
func (a *app) owedBy(name string) (*restore.Owed, error) {
	dir, err := a.pairDir(name)
	if err != nil {
		return nil, err
	}
	return restore.ReadOwed(dir)
}

func (a *app) printStatuses(found []pairStatus) error {
	if len(found) == 0 {
		fmt.Fprintln(a.stderr, "no pair is up; bring one up: labctl up pair")
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for i, s := range found {
		if i > 0 {
			fmt.Fprintln(w)
		}
		accel := string(s.Accelerator)
		if s.Accelerator == provision.TCG {
			accel = "tcg (software emulation: times mean nothing)"
		}
		ready := "not yet: run `labctl up` again"
		if !s.Ready.IsZero() {
			ready = s.Ready.Format(time.DateTime) + " UTC"
		}
		fmt.Fprintf(w, "pair\t%s\nhypervisor\t%s\naccelerator\t%s\nimage\t%s, kernel %s\nready\t%s\n", s.Name, s.Hypervisor, accel, s.Image, s.Kernel, ready)
		if s.Problem != "" {
			fmt.Fprintf(w, "problem\t%s\n", s.Problem)
		}
		if s.Owed != nil {
			fmt.Fprintf(w, "owed\tthe teardown of %s, run %s; `labctl teardown %s --name %s` pays it\n", s.Owed.Lab, filepath.Base(s.Owed.Run), s.Owed.Lab, s.Name)
		}
		for _, n := range s.Nodes {
			ssh := "answers"
			if !n.SSH {
				ssh = "does not answer"
			}
			fmt.Fprintf(w, "node\t%s\t%s\t%s\t%s\tssh %s\n", n.Name, n.Role, n.Address, n.State, ssh)
		}
	}
	return w.Flush()
}

// oneOf refuses a flag's value that is not among the valid ones.
func oneOf(flag, value string, valid ...string) error {
	for _, v := range valid {
		if v == value {
			return nil
		}
	}
	return usagef(fmt.Sprintf("valid are: %v", valid), "reading --%s %q", flag, value)
}
