package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"labctl/internal/journal"
	"labctl/provision"
)

// openPair opens the pair of this name as its record says it was made. An empty
// name means the only pair there is. With find, a private hypervisor that does
// not run is left so.
func (a *app) openPair(ctx context.Context, name string, find bool) (*provision.Cluster, provision.Record, error) {
	name, err := a.pairOrOnly(name)
	if err != nil {
		return nil, provision.Record{}, err
	}
	dir, err := a.pairDir(name)
	if err != nil {
		return nil, provision.Record{}, err
	}
	rec, err := provision.ReadRecord(dir)
	if errors.Is(err, provision.ErrNotFound) {
		return nil, rec, noPairError{name}
	}
	if err != nil {
		return nil, rec, err
	}
	c := a.cluster(rec, dir)
	c.Hypervisor, err = a.openHypervisor(ctx, rec.Hypervisor, dir, find)
	return c, rec, err
}

// cluster makes a Cluster of a record, without a hypervisor yet.
func (a *app) cluster(rec provision.Record, dir string) *provision.Cluster {
	return &provision.Cluster{
		Name: rec.Name, Owner: rec.Owner, Dir: dir, Topology: rec.Topology, Image: rec.Image, HypervisorName: rec.Hypervisor,
		Accelerator: rec.Accelerator, TSCKHz: rec.TSCKHz, Connect: provision.ConnectSSH, Listen: a.listener(),
	}
}

// noPairError says that there is no pair of that name.
type noPairError struct{ name string }

func (e noPairError) Error() string { return fmt.Sprintf("opening pair %q: there is none", e.name) }
func (e noPairError) Hint() string  { return "bring one up: labctl up pair" }

// pairs lists the pairs there are.
func (a *app) pairs() ([]provision.Record, error) {
	state, err := a.stateDir()
	if err != nil {
		return nil, err
	}
	return provision.ListRecords(filepath.Join(state, "pairs"))
}

func (a *app) pairOrOnly(name string) (string, error) {
	if name != "" {
		return name, nil
	}
	records, err := a.pairs()
	if err != nil {
		return "", err
	}
	switch len(records) {
	case 0:
		return "", noPairError{"pair"}
	case 1:
		return records[0].Name, nil
	}
	var names []string
	for _, r := range records {
		names = append(names, r.Name)
	}
	return "", usagef("name one (--name NAME, or NAME with reset and status): "+strings.Join(names, ", "), "choosing a pair: there are %d", len(names))
}

// listener prints what happens on stderr.
func (a *app) listener() journal.Listener {
	return newProgress(a.stderr, false).event
}
