package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"labctl/provision"
	"labctl/provision/private"
)

type downOptions struct {
	meant
	hypervisor string
	orphans    bool
	forget     bool
}

func (a *app) downCommand() *cobra.Command {
	var o downOptions
	cmd := &cobra.Command{
		Use:   "down [NAME]",
		Short: "Remove a pair and everything of it",
		Long: `Remove domains, checkpoints, volumes, network and folder of a pair (default: the
only one). Each is tried whatever became of the others; what is left is named.
Nothing that is not the pair's own is touched. Removing what is gone is no
error. Golden images stay; "labctl image gc" removes those.

Where the hypervisor is gone for good, --forget removes the folder of the pair
that is named and asks no hypervisor; it lists what may be left there.`,
		Example: "  labctl down\n  labctl down old\n  labctl down --all-seats\n  labctl down old --forget",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := o.or(args)
			if err != nil {
				return err
			}
			if o.allSeats {
				return a.downSeats(cmd.Context(), o)
			}
			if o.forget {
				return a.forget(cmd.Context(), name, o)
			}
			if err := a.refuseHosts("taking down", name); err != nil {
				return err
			}
			if name, err = a.pairToRemove(name); err != nil {
				return err
			}
			return a.down(cmd.Context(), name, o)
		},
	}
	seatFlag(cmd, &o.meant)
	allSeatsFlag(cmd, &o.meant)
	cmd.Flags().StringVar(&o.hypervisor, "hypervisor", "auto", "where to look when the pair's folder is gone")
	cmd.Flags().BoolVar(&o.orphans, "orphans", false, "remove what carries the pair's name though it has no record here")
	cmd.Flags().BoolVar(&o.forget, "forget", false, "remove the pair's folder alone, without asking its hypervisor")
	return cmd
}

// pairToRemove is the pair that was named, else the only one there is. With none
// it is "pair", of which a crash may have left something.
func (a *app) pairToRemove(name string) (string, error) {
	name, err := a.pairOrOnly(name)
	var none noPairError
	if errors.As(err, &none) {
		return none.name, nil
	}
	return name, err
}

// downSeats takes all seats down; that there is none is no error, as everywhere
// with down.
func (a *app) downSeats(ctx context.Context, o downOptions) error {
	if o.forget || o.orphans {
		return usagef("name the pair", "taking down all seats: --forget and --orphans are for one pair")
	}
	err := a.onAllSeats(ctx, o.meant, func(ctx context.Context, a *app, seat string) error {
		return a.down(ctx, seat, o)
	})
	if errors.Is(err, noSeatsError{}) {
		fmt.Fprintln(a.stderr, "there are no seats")
		return nil
	}
	return err
}

func (a *app) down(ctx context.Context, name string, o downOptions) error {
	dir, err := a.pairDir(name)
	if err != nil {
		return err
	}
	unlock, err := provision.Lock(dir, name, "down "+name)
	if err != nil {
		return err
	}
	defer unlock()
	rec, err := provision.ReadRecord(dir)
	known := err == nil
	if err != nil {
		if !errors.Is(err, provision.ErrNotFound) {
			fmt.Fprintf(a.stderr, "%v; going by what the hypervisor has\n", err)
		}
		rec = provision.Record{Name: name}
		if rec.Hypervisor, err = a.chooseHypervisor(ctx, o.hypervisor); err != nil {
			return err
		}
	}
	c := a.cluster(rec, dir)
	if err := c.Down(ctx, func(ctx context.Context) error { return a.remove(ctx, c, o) }); err != nil {
		return err
	}
	if !known {
		fmt.Fprintf(a.stderr, "pair %q is down: nothing was known of it\n", name)
		return nil
	}
	fmt.Fprintf(a.stderr, "pair %q is down\n", name)
	return nil
}

// remove ends the pair's private hypervisor, if there is one, with all that is
// in it: its objects need no removing one by one. From a hypervisor that others
// use too it removes the pair's objects and nothing else.
func (a *app) remove(ctx context.Context, c *provision.Cluster, o downOptions) error {
	if err := private.Stop(ctx, privateDir(c.Dir)); err != nil && (c.HypervisorName == privateName || !errors.Is(err, private.ErrNotRoot)) {
		return err
	}
	if c.HypervisorName == privateName {
		return nil
	}
	hv, err := a.openHypervisor(ctx, c.HypervisorName, c.Dir, true)
	if err != nil {
		if c.Owner != "" {
			return unreachableError{c.Name, err}
		}
		return err
	}
	defer hv.Close()
	c.Hypervisor = hv
	if c.Owner != "" {
		return c.RemoveObjects(ctx)
	}
	return a.removeOrphans(ctx, c, o.orphans)
}

// removeOrphans deals with a pair that has no record here. Whatever carries its
// name may be another user's, so it is removed only when that is asked for.
func (a *app) removeOrphans(ctx context.Context, c *provision.Cluster, asked bool) error {
	owners, err := c.Hypervisor.Owners(ctx)
	if err != nil {
		return err
	}
	owners = slices.DeleteFunc(owners, func(owner string) bool {
		pair, _, _ := strings.Cut(owner, ".")
		return pair != c.Name
	})
	if len(owners) > 0 && !asked {
		return orphansError{c.Name, c.HypervisorName, owners}
	}
	for _, owner := range owners {
		c.Owner = owner
		if err := c.RemoveObjects(ctx); err != nil {
			return err
		}
	}
	return nil
}

// orphansError: the hypervisor has a pair of that name, and this state folder
// knows nothing of it.
type orphansError struct {
	pair, hypervisor string
	owners           []string
}

func (e orphansError) Error() string {
	return fmt.Sprintf("taking down pair %q: it has no record here, but %s holds objects of %s", e.pair, e.hypervisor, strings.Join(e.owners, ", "))
}

func (e orphansError) Hint() string {
	return fmt.Sprintf("if they are yours and not another user's: labctl down %s --orphans --hypervisor %s", e.pair, e.hypervisor)
}
