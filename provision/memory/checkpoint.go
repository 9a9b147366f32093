package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"labctl/provision"
)

// Checkpoint takes a snapshot of all domains, whole or not at all.
func (h *Hypervisor) Checkpoint(ctx context.Context, owner, name string, domains []string) error {
	release, err := h.begin(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := checkNames(owner, name); err != nil {
		return err
	}
	if !h.Answer.Checkpoints {
		return fmt.Errorf("taking checkpoint %q: %w: %s", name, provision.ErrUnsupported, h.Answer.WhyNoCheckpoints)
	}
	doms, err := h.ownDomains(owner, domains)
	if err != nil {
		return err
	}
	for _, d := range doms {
		if d.state != provision.Running {
			return fmt.Errorf("taking checkpoint %q: domain %q is %s, not running", name, d.spec.Name, d.state)
		}
	}
	set := h.newSet(name)
	if err := h.takeSet(set, doms); err != nil {
		return fmt.Errorf("taking checkpoint %q: %w", name, err)
	}
	for _, d := range doms {
		for old := range d.checkpoints {
			if isSetOf(name, old) && old != set {
				if err := h.act("delete snapshot of %s", d.spec.Name); err != nil {
					return err
				}
				delete(d.checkpoints, old)
			}
		}
	}
	return nil
}

// newSet names a set that no domain has, later than all there are.
func (h *Hypervisor) newSet(checkpoint string) string {
	last := 0
	for _, d := range h.domains {
		for _, n := range d.checkpoints {
			last = max(last, n)
		}
	}
	return checkpoint + "." + strconv.Itoa(last+1)
}

func isSetOf(checkpoint, set string) bool {
	rest, ok := strings.CutPrefix(set, checkpoint+".")
	_, err := strconv.Atoi(rest)
	return ok && err == nil
}

func (h *Hypervisor) takeSet(set string, doms []*domain) error {
	number, _ := strconv.Atoi(set[strings.LastIndex(set, ".")+1:])
	err := all(doms, func(d *domain) error { return h.pause(d) })
	if err == nil {
		err = all(doms, func(d *domain) error {
			if err := h.act("snapshot domain %s", d.spec.Name); err != nil {
				return err
			}
			d.checkpoints[set] = number
			return nil
		})
	}
	if err != nil {
		err = errors.Join(err, all(doms, func(d *domain) error {
			if _, ok := d.checkpoints[set]; !ok {
				return nil
			}
			if err := h.act("delete snapshot of %s", d.spec.Name); err != nil {
				return err
			}
			delete(d.checkpoints, set)
			return nil
		}))
	}
	return errors.Join(err, all(doms, func(d *domain) error { return h.run(d) }))
}

func (h *Hypervisor) pause(d *domain) error {
	if d.state != provision.Running {
		return nil
	}
	if err := h.act("suspend domain %s", d.spec.Name); err != nil {
		return err
	}
	d.state = provision.Paused
	return nil
}

// Revert puts all domains back to the checkpoint, running.
func (h *Hypervisor) Revert(ctx context.Context, owner, name string, domains []string) error {
	release, err := h.begin(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := checkNames(owner, name); err != nil {
		return err
	}
	doms, err := h.ownDomains(owner, domains)
	if err != nil {
		return err
	}
	whole := slices.ContainsFunc(slices.Collect(maps.Keys(doms[0].checkpoints)), func(set string) bool {
		return isSetOf(name, set) && !slices.ContainsFunc(doms, func(d *domain) bool { return d.checkpoints[set] == 0 })
	})
	if !whole {
		return fmt.Errorf("reverting to checkpoint %q: not all of %s have it: %w",
			name, strings.Join(domains, ", "), provision.ErrNotFound)
	}
	if err := all(doms, func(d *domain) error { return h.pause(d) }); err != nil {
		return err
	}
	err = all(doms, func(d *domain) error {
		if err := h.act("revert domain %s", d.spec.Name); err != nil {
			return err
		}
		d.state = provision.Paused
		return nil
	})
	if err != nil {
		return err
	}
	return all(doms, func(d *domain) error { return h.run(d) })
}

func (h *Hypervisor) ownDomains(owner string, names []string) ([]*domain, error) {
	if len(names) == 0 {
		return nil, errors.New("a checkpoint is of at least one domain")
	}
	var doms []*domain
	for _, n := range names {
		d, ok := h.domains[n]
		if !ok {
			return nil, fmt.Errorf("domain %q: %w", n, provision.ErrNotFound)
		}
		if d.spec.Owner != owner {
			return nil, foreign(provision.KindDomain, n, d.spec.Owner)
		}
		doms = append(doms, d)
	}
	return doms, nil
}

// all runs fn for every domain and joins the errors.
func all(doms []*domain, fn func(*domain) error) error {
	var errs []error
	for _, d := range doms {
		errs = append(errs, fn(d))
	}
	return errors.Join(errs...)
}
