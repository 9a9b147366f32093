package main

import (
	"context"
	"fmt"
	"time"

	"labctl/internal/journal"
	"labctl/internal/remote"
	"labctl/internal/sample"
	"labctl/provision"
	"labctl/topology"
)

// lookLimit is how long one look at a node may take with hardware acceleration. It is
// one short command; a node that boots or reverts answers later.
const lookLimit = 15 * time.Second

// look lets the page have what a cluster's nodes show, until what it returns is
// called. Machines beside the cluster have nothing of interest.
func (s *show) look(c *provision.Cluster) (done func()) {
	var names []string
	for _, n := range c.Topology.Machines() {
		if n.Role != topology.Client {
			names = append(names, n.Name)
		}
	}
	if err := s.page.Nodes(names); err != nil {
		s.printError(err)
	}
	ctx, cancel := context.WithCancel(s.feeding)
	watched := make(chan struct{})
	w := sample.Watcher{
		Every: s.options.every, Limit: lookLimit * time.Duration(c.Accelerator.LimitScale()),
		Dial: func(ctx context.Context, name string) (remote.Conn, error) {
			n, ok := c.Topology.Node(name)
			if !ok {
				return nil, fmt.Errorf("finding node %q: %w", name, provision.ErrNotFound)
			}
			return dialNode(ctx, c, n)
		},
		Told: func(n sample.Node) {
			if err := s.page.Node(n); err != nil {
				s.printError(err)
			}
		},
	}
	go func() {
		defer close(watched)
		w.Watch(ctx, names)
	}()
	return func() {
		cancel()
		<-watched
	}
}

// lookOn looks at the nodes of a run that somebody else does. Where they cannot be
// found it says so, and the page does without.
func (s *show) lookOn(ctx context.Context, o placeOptions, events []journal.Event) (done func()) {
	r := journal.Fold(events)
	if r.Complete {
		return func() {}
	}
	if o.name == "" && o.topology == "" {
		o.name = r.Run.Pair
	}
	c, _, err := s.openCluster(ctx, o)
	if err != nil {
		fmt.Fprintf(s.stderr, "the nodes are not looked at: %v\n", err)
		return func() {}
	}
	stop := s.look(c)
	return func() {
		stop()
		if c.Hypervisor != nil {
			_ = c.Hypervisor.Close() // all that was asked of it is answered
		}
	}
}
