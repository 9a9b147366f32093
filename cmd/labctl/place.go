package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"labctl/internal/journal"
	"labctl/internal/labrun"
	"labctl/internal/report"
	"labctl/internal/restore"
	"labctl/provision"
	"labctl/topology"
)

// placeOptions say where a lab runs.
type placeOptions struct {
	meant
	topology string
}

func placeFlags(cmd *cobra.Command, o *placeOptions) {
	nameFlag(cmd, &o.meant, onlyOne)
	cmd.Flags().StringVar(&o.topology, "topology", "", "run on the hosts of this topology `FILE` instead of a pair")
}

// place is what a lab runs on, opened and locked.
type place struct {
	cluster *provision.Cluster
	record  provision.Record
	nodes   *provision.Nodes
	// hosts is the topology's file where its hosts exist already; empty of a pair.
	hosts string
	// frozen is the topology for the run's folder.
	frozen []byte
	unlock func()
}

func (p *place) close() {
	p.nodes.Close()
	p.unlock()
	if p.cluster.Hypervisor != nil {
		_ = p.cluster.Hypervisor.Close() // all that was asked of it is answered
	}
}

// openPlace opens and locks a pair, or hosts that exist already.
func (a *app) openPlace(ctx context.Context, o placeOptions, doing string) (*place, error) {
	c, rec, err := a.openCluster(ctx, o)
	if err != nil {
		return nil, err
	}
	p := &place{cluster: c, record: rec, nodes: c.NewNodes(), hosts: o.topology, unlock: func() {}}
	if p.unlock, err = provision.Lock(c.Dir, c.Name, doing); err != nil {
		p.unlock = func() {}
		p.close()
		return nil, err
	}
	if err = a.ready(ctx, p); err != nil {
		p.close()
		return nil, err
	}
	if p.frozen, err = json.MarshalIndent(c.Topology, "", "  "); err != nil {
		p.close()
		return nil, fmt.Errorf("writing topology: %w", err)
	}
	return p, nil
}

// ready refuses a pair that is not. One that a lab has changed was ready once:
// what put it back to its checkpoint was killed, and is done again.
func (a *app) ready(ctx context.Context, p *place) error {
	if p.cluster.Topology.Hosts || !p.record.Ready.IsZero() {
		return nil
	}
	owed, err := restore.ReadOwed(p.cluster.Dir)
	if err != nil {
		return err
	}
	if owed == nil || !p.record.Checkpoint {
		return notReadyError{p.record.Name}
	}
	fmt.Fprintln(a.stderr, "going back to the checkpoint did not end: doing it again")
	if err := p.cluster.Reset(ctx); err != nil {
		return err
	}
	p.record, err = provision.ReadRecord(p.cluster.Dir)
	return err
}

func (a *app) openCluster(ctx context.Context, o placeOptions) (*provision.Cluster, provision.Record, error) {
	if o.topology == "" {
		c, rec, err := a.openPair(ctx, o.name, true)
		var none noPairError
		if errors.As(err, &none) {
			err = noPlaceError{none}
		}
		return c, rec, err
	}
	t, err := topology.Open(o.topology)
	if err != nil {
		return nil, provision.Record{}, err
	}
	for _, n := range t.Machines() {
		if _, err := os.Stat(n.KeyFile); n.KeyFile != "" && errors.Is(err, fs.ErrNotExist) {
			return nil, provision.Record{}, &noKeyError{o.topology, n.Name, n.KeyFile}
		}
	}
	if !t.Hosts {
		return nil, provision.Record{}, usagef("bring it up, then run the lab without --topology: labctl up "+o.topology, "running on topology %q: its nodes are made by labctl", t.Name)
	}
	dir, err := a.pairDir(t.Name)
	if err != nil {
		return nil, provision.Record{}, err
	}
	return &provision.Cluster{
		Name: t.Name, Dir: dir, Topology: t, Accelerator: provision.KVM, Connect: provision.ConnectSSH, Listen: a.listener(),
	}, provision.Record{}, nil
}

// labRunner runs labs on this place and keeps them in the state folder.
func (a *app) labRunner(p *place, listen journal.Listener) (*labrun.Runner, error) {
	runs, err := a.runsDir()
	if err != nil {
		return nil, err
	}
	c := p.cluster
	r := &labrun.Runner{
		Runs: runs, Report: report.Write, Listen: listen,
		Place: labrun.Place{
			Dir: c.Dir, Hosts: p.hosts, Select: c.NodeNames, Conn: p.nodes.Conn, Scale: c.Accelerator.LimitScale(),
			Info: journal.Run{
				Labctl: version(), Pair: c.Name, Topology: c.Topology.Name, Hypervisor: p.record.Hypervisor,
				Accelerator: string(p.record.Accelerator), Image: p.record.Image.ID,
			},
		},
	}
	for _, n := range c.Topology.Machines() {
		r.Place.Info.Nodes = append(r.Place.Info.Nodes, journal.Node{Name: n.Name, Role: string(n.Role), Address: n.Address.String()})
		if n.Role == topology.ControlPlane {
			r.Place.ControlPlane = n.Name
		}
	}
	if p.record.Checkpoint {
		r.Place.Reset = func(ctx context.Context) error {
			p.nodes.Close() // a node that goes back does not know of its connections
			return c.Reset(ctx)
		}
	}
	return r, nil
}

// runsDir is the folder of all runs.
func (a *app) runsDir() (string, error) {
	state, err := a.stateDir()
	return filepath.Join(state, "runs"), err
}

// noPlaceError says that there is no pair to run a lab on.
type noPlaceError struct{ noPairError }

func (e noPlaceError) Hint() string {
	return e.noPairError.Hint() + "; or, on hosts that exist already: --topology FILE"
}

// noKeyError says that nobody can log in to hosts. That of the bench ends with it.
type noKeyError struct{ file, node, key string }

func (e *noKeyError) Error() string {
	return fmt.Sprintf("opening topology %q: node %q has no key: there is no file %q", e.file, e.node, e.key)
}
func (e *noKeyError) Hint() string {
	return `"keyFile" must be a file of this machine; that of docs/bench.sh is there only in the shell that it gives: start it again`
}

// notReadyError: a lab would judge a cluster that is not whole.
type notReadyError struct{ pair string }

func (e notReadyError) Error() string {
	return fmt.Sprintf("running a lab on pair %q: it is not ready", e.pair)
}
func (e notReadyError) Hint() string {
	return "finish bringing it up: labctl up TOPOLOGY --name " + e.pair
}
