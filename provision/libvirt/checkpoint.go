package libvirt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	golibvirt "github.com/digitalocean/go-libvirt"

	"labctl/provision"
)

// A checkpoint is a set of snapshots, one for each domain, that share a name:
// the checkpoint's, a dot and the time. Snapshots cannot be renamed, so a new
// set gets a new time, and the old one goes when the new one is whole. A set
// that misses a domain is no checkpoint.
const setTime = "20060102T150405.000000Z"

// setName names a new set.
func setName(checkpoint string, now time.Time) string {
	return checkpoint + "." + now.UTC().Format(setTime)
}

// isSetOf says whether a snapshot belongs to some set of the checkpoint.
func isSetOf(checkpoint, snapshot string) bool {
	rest, ok := strings.CutPrefix(snapshot, checkpoint+".")
	if !ok {
		return false
	}
	_, err := time.Parse(setTime, rest)
	return err == nil
}

// Checkpoint takes a snapshot of all domains at one moment.
func (h *Hypervisor) Checkpoint(ctx context.Context, owner, name string, domains []string) error {
	if err := checkNames(owner, name); err != nil {
		return err
	}
	if why := h.whyNoCheckpoints(); why != "" {
		return fmt.Errorf("taking checkpoint %q: %w: %s", name, provision.ErrUnsupported, why)
	}
	doms, err := h.ownDomains(ctx, owner, domains)
	if err != nil {
		return err
	}
	for _, d := range doms {
		state, _, err := h.domainState(ctx, d)
		if err != nil {
			return err
		}
		if w := stateWord(state); w != provision.Running {
			return fmt.Errorf("taking checkpoint %q: domain %q is %s, not running", name, d.Name, w)
		}
	}
	old, err := h.sets(ctx, name, doms)
	if err != nil {
		return err
	}
	set := setName(name, time.Now())
	err = h.takeSet(ctx, set, doms)
	if err != nil {
		return fmt.Errorf("taking checkpoint %q: %w", name, err)
	}
	return h.dropSets(ctx, old, doms)
}

// takeSet is whole or leaves nothing; either way all domains run again, even if
// the caller's context has ended.
func (h *Hypervisor) takeSet(ctx context.Context, set string, doms []golibvirt.Domain) error {
	err := each(doms, func(d golibvirt.Domain) error { return h.suspend(ctx, d) })
	if err == nil {
		err = each(doms, func(d golibvirt.Domain) error { return h.snapshot(ctx, d, set) })
	}
	after := context.WithoutCancel(ctx)
	if err != nil {
		err = errors.Join(err, each(doms, func(d golibvirt.Domain) error { return h.dropSnapshot(after, d, set) }))
	}
	return errors.Join(err, each(doms, func(d golibvirt.Domain) error { return h.goOn(after, d) }))
}

func (h *Hypervisor) snapshot(ctx context.Context, d golibvirt.Domain, set string) error {
	doc, err := SnapshotXML(set)
	if err != nil {
		return err
	}
	return doSlow(ctx, h.link, fmt.Sprintf("taking a snapshot of domain %q", d.Name), func(l *golibvirt.Libvirt) error {
		_, err := l.DomainSnapshotCreateXML(d, doc, 0)
		return err
	})
}

// dropSnapshot deletes one; that it is gone already is no error.
func (h *Hypervisor) dropSnapshot(ctx context.Context, d golibvirt.Domain, set string) error {
	return gone(doSlow(ctx, h.link, fmt.Sprintf("deleting snapshot %q of domain %q", set, d.Name),
		func(l *golibvirt.Libvirt) error {
			s, err := l.DomainSnapshotLookupByName(d, set, 0)
			if err != nil {
				return err
			}
			return l.DomainSnapshotDelete(s, 0)
		}))
}

// sets lists, for each domain, its snapshots that belong to a checkpoint.
func (h *Hypervisor) sets(ctx context.Context, checkpoint string, doms []golibvirt.Domain) (map[string][]string, error) {
	found := map[string][]string{}
	for _, d := range doms {
		snaps, err := call(ctx, h.link, fmt.Sprintf("listing snapshots of domain %q", d.Name),
			func(l *golibvirt.Libvirt) ([]golibvirt.DomainSnapshot, error) {
				s, _, err := l.DomainListAllSnapshots(d, 1, 0)
				return s, err
			})
		if err != nil {
			return nil, err
		}
		for _, s := range snaps {
			if isSetOf(checkpoint, s.Name) {
				found[d.Name] = append(found[d.Name], s.Name)
			}
		}
	}
	return found, nil
}

func (h *Hypervisor) dropSets(ctx context.Context, old map[string][]string, doms []golibvirt.Domain) error {
	return each(doms, func(d golibvirt.Domain) error {
		var errs []error
		for _, set := range old[d.Name] {
			errs = append(errs, h.dropSnapshot(ctx, d, set))
		}
		return errors.Join(errs...)
	})
}

// newestWhole is the newest set that every domain has; false if there is none.
func newestWhole(sets map[string][]string, doms []golibvirt.Domain) (string, bool) {
	newest := ""
	for _, set := range sets[doms[0].Name] {
		whole := !slices.ContainsFunc(doms, func(d golibvirt.Domain) bool { return !slices.Contains(sets[d.Name], set) })
		if whole && set > newest {
			newest = set
		}
	}
	return newest, newest != ""
}

// goOn resumes a domain. One that has ended meanwhile is not started: it would
// boot, and that is not what a checkpoint promises.
func (h *Hypervisor) goOn(ctx context.Context, d golibvirt.Domain) error {
	err := h.resume(ctx, d)
	if !hasCode(err, golibvirt.ErrOperationInvalid) {
		return err
	}
	state, _, again := h.domainState(ctx, d)
	if again == nil && stateWord(state) == provision.Running {
		return nil
	}
	return errors.Join(err, again)
}

// ownDomains looks domains up and refuses any that is not the owner's.
func (h *Hypervisor) ownDomains(ctx context.Context, owner string, names []string) ([]golibvirt.Domain, error) {
	if len(names) == 0 {
		return nil, errors.New("a checkpoint is of at least one domain")
	}
	var doms []golibvirt.Domain
	for _, n := range names {
		d, err := h.ownDomain(ctx, owner, n)
		if err != nil {
			return nil, err
		}
		doms = append(doms, d)
	}
	return doms, nil
}

// atOnce bounds calls in flight: a daemon takes five from one client
// (max_client_requests), and one must stay free to show that it is alive.
const atOnce = 4

// each runs fn for all domains at once and joins the errors.
func each(doms []golibvirt.Domain, fn func(golibvirt.Domain) error) error {
	errs := make([]error, len(doms))
	slots := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, d := range doms {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = fn(d)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
