package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"labctl/provision"
	"labctl/provision/image"
	"labctl/topology"
)

type upOptions struct {
	meant
	kernel, kubernetes, hypervisor, accel string
	dryRun                                bool
	// seats is how many are wanted; 0 if it is one pair.
	seats, parallel int
	overcommit      bool
}

func (a *app) upCommand() *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up TOPOLOGY",
		Short: "Bring a pair up, or finish bringing it up",
		Long: `Bring up the pair of a topology: a name such as "pair", or the path of a file.

It makes the network, boots the nodes, sets the cluster up, climbs the ladder
of readiness and takes the checkpoint that "labctl reset" goes back to. On a
pair that is up it does nothing; after a crash or an interrupt it goes on from
where it was. Without KVM (software emulation) it takes three to five minutes.

With --seats it brings up several pairs alike, seat-1 and so on, each in a private
hypervisor of its own: they have the same addresses and never meet. Before anything
is started it says what they need and what there is, and refuses what does not fit.
Those that are up stay; one that fails stops no other. "labctl seats" lists them, and
--seat NUMBER means one of them, wherever a pair can be named.

The golden image must have been built: labctl image build.`,
		Example: "  labctl up pair\n  labctl up pair --kernel 5.10 --name old\n  labctl up pair --dry-run\n  labctl up pair --seats 4",
		Args:    exactly("TOPOLOGY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("accel", o.accel, "auto", string(provision.KVM), string(provision.TCG)); err != nil {
				return err
			}
			if cmd.Flags().Changed("seats") {
				return a.upSeats(cmd.Context(), args[0], o)
			}
			if o.parallel != 0 || o.overcommit {
				return usagef("labctl up "+args[0]+" --seats 2, say", "reading --parallel or --overcommit: they are for --seats")
			}
			return a.up(cmd.Context(), args[0], o)
		},
	}
	f := cmd.Flags()
	nameFlag(cmd, &o.meant, "the topology's name")
	f.StringVar(&o.kernel, "kernel", "", "kernel of the golden image: 6.12, 6.1 or 5.10 (default 6.12)")
	kubernetesFlag(cmd, &o.kubernetes)
	f.StringVar(&o.hypervisor, "hypervisor", "auto", `"private", a libvirt URI, or "auto"`)
	f.StringVar(&o.accel, "accel", "auto", `"kvm", "tcg", or "auto": kvm where it works`)
	f.BoolVar(&o.dryRun, "dry-run", false, "print the plan and every document, or with --seats what they need; touch nothing")
	f.IntVar(&o.seats, "seats", 0, "bring up this `NUMBER` of pairs alike, each isolated from the others")
	parallelFlag(cmd, &o.parallel, "as many as have a CPU for each of their virtual ones, at least one")
	f.BoolVar(&o.overcommit, "overcommit", false, "bring up more seats than there is memory or disk for, if all of it came to be used")
	return cmd
}

func (a *app) up(ctx context.Context, name string, o upOptions) error {
	start := time.Now()
	t, err := topology.Open(name)
	if err != nil {
		return err
	}
	if t.Hosts {
		return hostsExist("bringing up", t.Name, name)
	}
	if o.name == "" {
		o.name = t.Name
	}
	dir, err := a.pairDir(o.name)
	if err != nil {
		return err
	}
	rec, err := provision.ReadRecord(dir)
	known := err == nil
	if err != nil && !errors.Is(err, provision.ErrNotFound) {
		return err
	}
	// A pair goes on with the image that it stands on, even if this program would
	// build another by now.
	img := rec.Image
	if !known || o.kernel != "" || o.kubernetes != "" {
		img, err = a.findImage(image.Variant{Recipe: t.Image, Kubernetes: o.kubernetes, Kernel: o.kernel})
		var missing *image.NotBuiltError
		if o.dryRun && errors.As(err, &missing) {
			img, err = provision.Image{ID: missing.ID}, nil
		}
		if err != nil {
			return err
		}
	}
	where := o.hypervisor
	if known && (where == "" || where == "auto") {
		where = rec.Hypervisor
	}
	if seatNumber(o.name) > 0 && (where == "" || where == "auto") {
		where = privateName // whatever else there is: seats have the same addresses
	}
	if where, err = a.chooseHypervisor(ctx, where); err != nil {
		return err
	}
	c := &provision.Cluster{
		Name: o.name, Dir: dir, Topology: t, Image: img, HypervisorName: where,
		Connect: provision.ConnectSSH, Listen: a.listener(),
	}
	if o.dryRun {
		c.Owner = rec.Owner
		if !known {
			c.Owner = o.name + ".00000000" // a random number, once it is made
		}
		return a.dryRun(c, o.accel)
	}
	if known && rec.Hypervisor != where {
		return usagef("take it down first: labctl down "+o.name, "bringing up pair %q: it stands on %q, not on %q", o.name, rec.Hypervisor, where)
	}
	// Nothing is started, not even a daemon, that no record tells of.
	unlock, err := provision.Lock(dir, o.name, "up "+o.name)
	if err != nil {
		return err
	}
	defer unlock()
	if rec, err = c.Enter(); err != nil {
		return err
	}
	if err := a.noteImageUser(dir); err != nil {
		return err
	}
	if c.Hypervisor, err = a.openHypervisor(ctx, where, dir, false); err != nil {
		return err
	}
	defer c.Hypervisor.Close()
	if err := a.accelerate(ctx, c, rec, o.accel); err != nil {
		return err
	}
	if err := c.Up(ctx); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "pair %q is up (%.1f s)\n", o.name, time.Since(start).Seconds())
	if owed, err := a.owedBy(o.name); err != nil || owed != nil {
		fmt.Fprintf(a.stderr, "a lab has changed it and was not put back: labctl teardown --name %s\n", o.name)
		return err
	}
	return nil
}

// accelerate settles how guest code runs: as before, or else as the user wishes
// and the hypervisor can.
func (a *app) accelerate(ctx context.Context, c *provision.Cluster, rec provision.Record, wish string) error {
	if rec.Accelerator != "" {
		c.Accelerator, c.TSCKHz = rec.Accelerator, rec.TSCKHz
		if wish != "auto" && wish != string(rec.Accelerator) {
			return usagef("take it down first: labctl down "+c.Name, "bringing up pair %q: it runs on %s, not on %s", c.Name, rec.Accelerator, wish)
		}
		return nil
	}
	facts, err := c.Hypervisor.Facts(ctx)
	if err != nil {
		return err
	}
	c.TSCKHz = facts.TSCKHz
	var why string
	if c.Accelerator, why, err = chooseAccelerator(facts, wish); err != nil {
		return err
	}
	a.announce(c, why)
	return nil
}

// announce says what is about to happen and how long it takes.
func (a *app) announce(c *provision.Cluster, why string) {
	fmt.Fprintf(a.stderr, "bringing up pair %q on %s\n", c.Name, c.HypervisorName)
	fmt.Fprintf(a.stderr, "  accelerator %s: %s\n", c.Accelerator, why)
	fmt.Fprintf(a.stderr, "  image %s, kernel %s\n", c.Image.ID, c.Image.KernelRelease)
	if c.Accelerator == provision.TCG {
		fmt.Fprintln(a.stderr, "  WITHOUT hardware acceleration: all is some 20 times slower, and limits are longer")
	}
	if duration := upDurations[c.Topology.Provision][c.Accelerator]; duration != "" {
		fmt.Fprintln(a.stderr, "  this takes "+duration)
	}
}

// upDurations are what up took on two cores, by provisioning plan.
var upDurations = map[string]map[provision.Accelerator]string{
	"pair":  {provision.KVM: "about a minute", provision.TCG: "3 to 5 minutes"},
	"nodes": {provision.KVM: "some seconds", provision.TCG: "about 15 seconds"},
}
