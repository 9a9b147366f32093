package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"labctl/provision"
	"labctl/provision/private"
)

func (a *app) downCommand() *cobra.Command {
	var hypervisor string
	cmd := &cobra.Command{
		Use:   "down [NAME]",
		Short: "Remove a pair and everything of it",
		Long: `Remove domains, checkpoints, volumes, network and folder of a pair (default
"pair"). Each is tried whatever became of the others; what is left is named.
Nothing that is not the pair's own is touched. Removing what is gone is no
error. Golden images stay; "labctl image gc" removes those.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "pair"
			if len(args) > 0 {
				name = args[0]
			}
			return a.down(cmd.Context(), name, hypervisor)
		},
	}
	cmd.Flags().StringVar(&hypervisor, "hypervisor", "auto", "where to look when the pair's folder is gone")
	return cmd
}

func (a *app) down(ctx context.Context, name, hypervisor string) error {
	dir, err := a.pairDir(name)
	if err != nil {
		return err
	}
	rec, err := provision.ReadRecord(dir)
	switch {
	case err == nil:
		hypervisor = rec.Hypervisor
	case !errors.Is(err, provision.ErrNotFound):
		return err
	default:
		rec = provision.Record{Name: name}
		if hypervisor, err = a.chooseHypervisor(ctx, hypervisor); err != nil {
			return err
		}
	}
	c := a.cluster(rec, dir)
	if hypervisor == privateName {
		err = a.downPrivate(ctx, c)
	} else {
		err = a.downShared(ctx, c, hypervisor)
	}
	if err != nil {
		return err
	}
	if err := provision.Forget(dir); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "pair %q is down\n", name)
	return nil
}

// downShared removes a pair from a hypervisor that others use too.
func (a *app) downShared(ctx context.Context, c *provision.Cluster, uri string) error {
	hv, err := a.openHypervisor(ctx, uri, c.Dir, true)
	if err != nil {
		return err
	}
	defer hv.Close()
	c.Hypervisor = hv
	return c.Down(ctx)
}

// downPrivate ends a private hypervisor with all that is in it. The pair's
// objects need no removing one by one: the daemon, its namespaces and its
// folder go, and they with them.
func (a *app) downPrivate(ctx context.Context, c *provision.Cluster) error {
	unlock, err := provision.Lock(c.Dir, c.Name, "down "+c.Name)
	if err != nil {
		return err
	}
	defer unlock()
	return private.Stop(ctx, privateDir(c.Dir))
}
