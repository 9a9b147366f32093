package main

import (
	"context"
	"errors"
	"fmt"

	"labctl/provision"
	"labctl/provision/private"
)

// forget removes a pair's folder without asking its hypervisor, which may be
// gone for good, and lists on standard output what may be left there.
func (a *app) forget(ctx context.Context, name string, o downOptions) error {
	if name == "" {
		return usagef("labctl down NAME --forget", "forgetting a pair: which one must be said")
	}
	if o.orphans {
		return usagef("--orphans asks the hypervisor, --forget does not", "forgetting pair %q: --forget and --orphans exclude each other", name)
	}
	dir, err := a.pairDir(name)
	if err != nil {
		return err
	}
	unlock, err := provision.Lock(dir, name, "down "+name)
	if err != nil {
		return err
	}
	defer unlock()
	// A hypervisor of labctl's own is never out of reach: its guests would go on
	// and nothing would know of them.
	_, runs, err := private.Find(privateDir(dir))
	if err != nil && !errors.Is(err, private.ErrNotRoot) {
		return err
	}
	rec, err := provision.ReadRecord(dir)
	if runs || rec.Hypervisor == privateName {
		return usagef("labctl down "+name, "forgetting pair %q: its hypervisor is labctl's own and can be asked", name)
	}
	known := err == nil
	if err != nil && !errors.Is(err, provision.ErrNotFound) {
		fmt.Fprintf(a.stderr, "%v; what may be left of it is not known\n", err)
	}
	c := &provision.Cluster{Name: name, Dir: dir}
	if err := c.Down(ctx, func(context.Context) error { return nil }); err != nil {
		return err
	}
	if known && len(rec.Objects) > 0 {
		fmt.Fprintf(a.stderr, "pair %q is forgotten; %s was not asked and may still hold, of owner %s:\n", name, rec.Hypervisor, rec.Owner)
		for _, o := range rec.Objects {
			fmt.Fprintln(a.stdout, o.Kind, o.Name)
		}
		return nil
	}
	fmt.Fprintf(a.stderr, "pair %q is forgotten: nothing had been made of it that is known\n", name)
	return nil
}

// unreachableError: the hypervisor in which a pair was made cannot be opened.
type unreachableError struct {
	pair string
	error
}

func (e unreachableError) Unwrap() error { return e.error }

func (e unreachableError) Hint() string {
	return fmt.Sprintf("if that hypervisor is gone for good: labctl down %s --forget", e.pair)
}
