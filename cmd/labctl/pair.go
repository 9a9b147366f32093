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
	dir, rec, err := a.record(name)
	if err != nil {
		return nil, rec, err
	}
	c := a.cluster(rec, dir)
	c.Hypervisor, err = a.openHypervisor(ctx, rec.Hypervisor, dir, find)
	return c, rec, err
}

// record reads a pair's record and tells its folder; noPairError if there is
// none.
func (a *app) record(name string) (dir string, rec provision.Record, err error) {
	if dir, err = a.pairDir(name); err != nil {
		return "", rec, err
	}
	rec, err = provision.ReadRecord(dir)
	if errors.Is(err, provision.ErrNotFound) {
		records, _ := a.pairs() // damaged ones are nobody's answer here
		err = noPairError{name, namesOf(records)}
	}
	return dir, rec, err
}

// cluster makes a Cluster of a record, without a hypervisor yet.
func (a *app) cluster(rec provision.Record, dir string) *provision.Cluster {
	return &provision.Cluster{
		Name: rec.Name, Owner: rec.Owner, Dir: dir, Topology: rec.Topology, Image: rec.Image, HypervisorName: rec.Hypervisor,
		Accelerator: rec.Accelerator, TSCKHz: rec.TSCKHz, Connect: provision.ConnectSSH, Listen: a.listener(),
	}
}

// noPairError says that there is no pair of that name, and which there are.
type noPairError struct {
	name  string
	there []string
}

func (e noPairError) Error() string { return fmt.Sprintf("opening pair %q: there is none", e.name) }
func (e noPairError) Hint() string {
	if len(e.there) > 0 {
		return "there are: " + strings.Join(e.there, ", ")
	}
	return "bring one up: labctl up pair"
}

func namesOf(records []provision.Record) []string {
	var names []string
	for _, r := range records {
		names = append(names, r.Name)
	}
	return names
}

// pairs lists the pairs there are. A damaged record is in the error, the others
// are returned.
func (a *app) pairs() ([]provision.Record, error) {
	state, err := a.stateDir()
	if err != nil {
		return nil, err
	}
	return provision.ListRecords(filepath.Join(state, "pairs"))
}

// warn says what does not stand in the way.
func (a *app) warn(err error) {
	if err != nil {
		fmt.Fprintf(a.stderr, "note: %v\n", err)
	}
}

// pairOrOnly is the pair that was named, else the only one that can be read.
func (a *app) pairOrOnly(name string) (string, error) {
	if name != "" {
		return name, nil
	}
	records, damaged := a.pairs()
	switch {
	case len(records) == 1:
		a.warn(damaged)
		return records[0].Name, nil
	case len(records) > 1:
		names := namesOf(records)
		return "", usagef("name one (--name NAME or --seat NUMBER, or NAME with down, reset and status): "+strings.Join(names, ", "), "choosing a pair: there are %d", len(names))
	case damaged != nil:
		return "", damaged
	}
	return "", noPairError{name: "pair"}
}

// listener prints what happens on stderr.
func (a *app) listener() journal.Listener {
	return newProgress(a.stderr, false).event
}
