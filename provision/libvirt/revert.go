package libvirt

import (
	"context"
	"fmt"
	"strings"

	golibvirt "github.com/digitalocean/go-libvirt"

	"labctl/provision"
)

// Revert puts all domains back to the checkpoint, running.
//
// First all are suspended and put back paused, then all go on together: a node
// of the past never meets a node of the present.
func (h *Hypervisor) Revert(ctx context.Context, owner, name string, domains []string) error {
	if err := checkNames(owner, name); err != nil {
		return err
	}
	doms, err := h.ownDomains(ctx, owner, domains)
	if err != nil {
		return err
	}
	sets, err := h.sets(ctx, name, doms)
	if err != nil {
		return err
	}
	set, ok := newestWhole(sets, doms)
	if !ok {
		return fmt.Errorf("reverting to checkpoint %q: not all of %s have it: %w",
			name, strings.Join(domains, ", "), provision.ErrNotFound)
	}
	err = each(doms, func(d golibvirt.Domain) error { return h.quieten(ctx, d) })
	if err == nil {
		err = each(doms, func(d golibvirt.Domain) error { return h.revert(ctx, d, set) })
	}
	if err == nil {
		err = each(doms, func(d golibvirt.Domain) error { return h.goOn(ctx, d) })
	}
	if err != nil {
		return fmt.Errorf("reverting to checkpoint %q: %w", name, err)
	}
	return nil
}

// quieten suspends a domain if it runs; the revert starts it if it does not.
func (h *Hypervisor) quieten(ctx context.Context, d golibvirt.Domain) error {
	state, _, err := h.domainState(ctx, d)
	if err != nil || stateWord(state) != provision.Running {
		return err
	}
	err = h.suspend(ctx, d)
	if hasCode(err, golibvirt.ErrOperationInvalid) {
		return nil // it has just ended by itself
	}
	return err
}

// revert puts one domain back, paused. If libvirt finds it risky, because the
// QEMU that runs does not quite match the one in the snapshot, it is started
// anew.
func (h *Hypervisor) revert(ctx context.Context, d golibvirt.Domain, set string) error {
	try := func(flags golibvirt.DomainSnapshotRevertFlags) error {
		return doSlow(ctx, h.link, fmt.Sprintf("reverting domain %q", d.Name), func(l *golibvirt.Libvirt) error {
			s, err := l.DomainSnapshotLookupByName(d, set, 0)
			if err != nil {
				return err
			}
			return l.DomainRevertToSnapshot(s, uint32(flags))
		})
	}
	err := try(golibvirt.DomainSnapshotRevertPaused)
	if hasCode(err, golibvirt.ErrSnapshotRevertRisky) {
		err = try(golibvirt.DomainSnapshotRevertPaused | golibvirt.DomainSnapshotRevertForce)
	}
	return err
}
