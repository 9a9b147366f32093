package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Reset puts all nodes back to the checkpoint together, running, steps their
// clocks and climbs the ladder. Where no checkpoint can serve it makes the
// overlays anew and provisions again, which takes as long as Up, and says so.
// The caller holds the pair's Lock.
func (c *Cluster) Reset(ctx context.Context) error {
	rec, err := ReadRecord(c.Dir)
	if err != nil {
		return err
	}
	c.Owner = rec.Owner
	// Not ready until the last rung: whatever ends this reset, another goes on.
	rec.Ready = time.Time{}
	if err := rec.write(c.Dir); err != nil {
		return err
	}
	node, err := c.missingDisk(ctx)
	if err != nil {
		return err
	}
	if node != "" {
		c.say(fmt.Sprintf("the disk of node %q is gone, and any checkpoint with it", node))
	} else if rec.Checkpoint {
		start := c.now()
		err := c.Hypervisor.Revert(ctx, c.Owner, CheckpointName, c.domainNames())
		if err == nil {
			c.say(fmt.Sprintf("all nodes back at checkpoint %q in %.1f s", CheckpointName, c.now().Sub(start).Seconds()))
			return c.climb(ctx, rec)
		}
		if !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrUnsupported) {
			return err
		}
		c.say(fmt.Sprintf("reverting is not possible (%v)", err))
	}
	c.say("making the nodes' disks anew and provisioning again")
	return c.recreate(ctx, rec)
}

// missingDisk names a node whose domain is there and whose disk is not, as after
// someone deleted the volume; empty if there is none.
func (c *Cluster) missingDisk(ctx context.Context) (node string, err error) {
	objects, err := c.Hypervisor.Objects(ctx, c.Owner)
	if err != nil {
		return "", err
	}
	has := func(kind Kind, name string) bool {
		return slices.ContainsFunc(objects, func(o Object) bool { return o.Kind == kind && o.Name == name })
	}
	for _, n := range c.Specs().Nodes {
		if has(KindDomain, n.Domain.Name) && !has(KindVolume, n.Overlay.Name) {
			return n.Node.Name, nil
		}
	}
	return "", nil
}

// climb runs the ladder on nodes that should be ready.
func (c *Cluster) climb(ctx context.Context, rec Record) error {
	p, err := ProvisioningPlan(c.Topology.Provision)
	if err != nil {
		return err
	}
	nodes := c.NewNodes()
	defer nodes.Close()
	if err := c.runPlan(ctx, c.engine(nodes, rec), ladder(p)); err != nil {
		return err
	}
	rec.Ready = c.now().UTC()
	return rec.write(c.Dir)
}

// recreate removes the domains and their disks and provisions from there.
func (c *Cluster) recreate(ctx context.Context, rec Record) error {
	rec, err := rec.unready(c.Dir)
	if err != nil {
		return err
	}
	for _, o := range c.Specs().objects() {
		written := o.Kind == KindVolume && c.isOverlay(o.Name)
		if o.Kind != KindDomain && !written {
			continue
		}
		if err := c.Hypervisor.Remove(ctx, o); err != nil {
			return err
		}
	}
	return c.provision(ctx, rec)
}

func (c *Cluster) isOverlay(volume string) bool {
	for _, n := range c.Specs().Nodes {
		if n.Overlay.Name == volume {
			return true
		}
	}
	return false
}
