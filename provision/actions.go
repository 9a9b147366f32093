package provision

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"labctl/internal/runner"
	"labctl/topology"
)

// actions are the steps of a provisioning plan that are not scripts: what
// happens outside the nodes.
func (c *Cluster) actions(n *Nodes) map[string]runner.Action {
	return map[string]runner.Action{
		"network": c.makeNetwork,
		"domains": c.makeDomains,
		"running": c.awaitRunning,
		"port":    n.awaitPort,
		"login":   n.awaitLogin,
		"clocks":  n.stepClocks,
	}
}

func (c *Cluster) makeNetwork(ctx context.Context, say func(string)) error {
	s := c.Specs().Network
	say(fmt.Sprintf("network %q %s", s.Name, s.CIDR))
	return c.Hypervisor.EnsureNetwork(ctx, s)
}

// makeDomains makes the volumes, shared ones first, then the domains. Starting
// a domain does not wait for its guest, so all of them boot at once.
func (c *Cluster) makeDomains(ctx context.Context, say func(string)) error {
	keys, err := c.ensureKeys()
	if err != nil {
		return err
	}
	s := c.Specs()
	paths := map[string]string{}
	ensure := func(v Volume) error {
		if v.Backing != "" {
			v.Backing = paths[v.Backing]
		}
		paths[v.Name], err = c.Hypervisor.EnsureVolume(ctx, v)
		return err
	}
	for _, v := range []Volume{s.Base, s.Kernel, s.Initrd} {
		say(fmt.Sprintf("volume %q", v.Name))
		if err := ensure(v); err != nil {
			return err
		}
	}
	for _, n := range s.Nodes {
		seed, err := c.seed(n.Node, keys)
		if err != nil {
			return err
		}
		if err := writeFile(n.Seed.Source, seed, 0o600); err != nil {
			return err
		}
		for _, v := range []Volume{n.Overlay, n.Seed} {
			if err := ensure(v); err != nil {
				return err
			}
		}
	}
	for _, n := range s.Nodes {
		say(fmt.Sprintf("domain %q (%d vCPU, %d MiB, %s)", n.Domain.Name, n.Domain.VCPUs, n.Domain.MemoryMiB, c.Accelerator))
		if err := c.Hypervisor.EnsureDomain(ctx, n.Domain.at(paths)); err != nil {
			return err
		}
	}
	return nil
}

// at replaces the names of volumes by their paths.
func (d Domain) at(paths map[string]string) Domain {
	for _, p := range []*string{&d.Kernel, &d.Initrd, &d.Disk, &d.Backing, &d.Seed} {
		*p = paths[*p]
	}
	return d
}

// awaitRunning is the first rung: the domains run, and go on running.
func (c *Cluster) awaitRunning(ctx context.Context, _ func(string)) error {
	for _, name := range c.domainNames() {
		err := await(ctx, time.Second, func() error {
			state, err := c.Hypervisor.DomainState(ctx, name)
			if err != nil {
				return err
			}
			if state != Running {
				return fmt.Errorf("domain %q is %s", name, state)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// awaitPort is the second rung: TCP 22 of every node answers.
func (n *Nodes) awaitPort(ctx context.Context, _ func(string)) error {
	return n.each(func(node topology.Node) error {
		return await(ctx, 500*time.Millisecond, func() error { return n.probe(ctx, node) })
	})
}

// awaitLogin is the third rung: the pinned host key matches and our key opens
// the door. A host key that does not match never will, so it ends the wait.
func (n *Nodes) awaitLogin(ctx context.Context, say func(string)) error {
	return n.each(func(node topology.Node) error {
		err := await(ctx, time.Second, func() error {
			_, err := n.Conn(ctx, node.Name)
			return err
		})
		if err == nil {
			say(fmt.Sprintf("logged in to %q at %s", node.Name, node.Address))
		}
		return err
	})
}

// each does the same on all nodes at once.
func (n *Nodes) each(do func(topology.Node) error) error {
	specs := n.cluster.Specs().Nodes
	errs := make([]error, len(specs))
	var wg sync.WaitGroup
	for i, s := range specs {
		wg.Go(func() {
			if err := do(s.Node); err != nil {
				errs[i] = fmt.Errorf("node %q: %w", s.Node.Name, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// await calls do until it returns nil, an error that will not go away, or the
// context ends; then it says what do said last.
func await(ctx context.Context, every time.Duration, do func() error) error {
	start := time.Now()
	var last error
	for {
		err := do()
		if err == nil || isFinal(err) {
			return err
		}
		if ctx.Err() == nil || last == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %s: %w", time.Since(start).Round(time.Second), last)
		case <-time.After(every):
		}
	}
}

// vars are what every script of a provisioning plan sees.
func (c *Cluster) vars(rec Record) map[string]string {
	v := map[string]string{
		"LOGIN": c.Topology.Machines()[0].User,
		"TOKEN": rec.Token,
		"ACCEL": string(c.Accelerator),
	}
	for _, n := range c.Topology.Machines() {
		switch n.Role {
		case topology.ControlPlane:
			v["LOGIN"] = n.User // its steps are where the name is needed
			v["CONTROL_PLANE"], v["CONTROL_PLANE_NAME"] = n.Address.String(), n.Name
		case topology.Worker:
			v["WORKER"], v["WORKER_NAME"] = n.Address.String(), n.Name
		}
	}
	return v
}
