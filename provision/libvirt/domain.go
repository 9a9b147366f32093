package libvirt

import (
	"context"
	"fmt"

	golibvirt "github.com/digitalocean/go-libvirt"
	"github.com/google/uuid"

	"labctl/provision"
)

// EnsureDomain makes the domain exist and run.
func (h *Hypervisor) EnsureDomain(ctx context.Context, d provision.Domain) error {
	if err := checkNames(d.Owner, d.Name); err != nil {
		return err
	}
	dom, err := h.findDomain(ctx, d.Name)
	if notFound(err) {
		dom, err = h.defineDomain(ctx, d)
		if raced(err) {
			if found, again := h.findDomain(ctx, d.Name); again == nil {
				dom, err = found, nil
			}
		}
	}
	if err != nil {
		return err
	}
	if err := h.compareDomain(ctx, dom, d); err != nil {
		return err
	}
	return h.runDomain(ctx, dom)
}

func (h *Hypervisor) findDomain(ctx context.Context, name string) (golibvirt.Domain, error) {
	return call(ctx, h.link, fmt.Sprintf("looking up domain %q", name),
		func(l *golibvirt.Libvirt) (golibvirt.Domain, error) { return l.DomainLookupByName(name) })
}

func (h *Hypervisor) defineDomain(ctx context.Context, d provision.Domain) (golibvirt.Domain, error) {
	if err := h.ensureConsole(ctx, d); err != nil {
		return golibvirt.Domain{}, err
	}
	text, err := DomainXML(d)
	if err != nil {
		return golibvirt.Domain{}, err
	}
	return call(ctx, h.link, fmt.Sprintf("defining domain %q", d.Name),
		func(l *golibvirt.Libvirt) (golibvirt.Domain, error) {
			return l.DomainDefineXMLFlags(text, golibvirt.DomainDefineValidate)
		})
}

// compareDomain refuses a domain that is not ours or was made for another
// topology.
func (h *Hypervisor) compareDomain(ctx context.Context, dom golibvirt.Domain, d provision.Domain) error {
	m, err := h.domainMark(ctx, dom)
	if err != nil {
		return err
	}
	if m.Owner != d.Owner {
		return foreign(provision.KindDomain, d.Name, m.Owner)
	}
	if have := uuid.UUID(dom.UUID).String(); d.UUID != "" && have != d.UUID {
		return differs(provision.KindDomain, d.Name, "UUID", have, d.UUID)
	}
	if m.Fingerprint != d.Fingerprint {
		return differs(provision.KindDomain, d.Name, "fingerprint", m.Fingerprint, d.Fingerprint)
	}
	return nil
}

// domainMark reads whose the domain is; the zero mark if it has none.
func (h *Hypervisor) domainMark(ctx context.Context, dom golibvirt.Domain) (mark, error) {
	text, err := call(ctx, h.link, fmt.Sprintf("reading the mark of domain %q", dom.Name),
		func(l *golibvirt.Libvirt) (string, error) {
			return l.DomainGetMetadata(dom, int32(golibvirt.DomainMetadataElement),
				golibvirt.OptString{Namespace}, golibvirt.DomainAffectCurrent)
		})
	if hasCode(err, golibvirt.ErrNoDomainMetadata) {
		return mark{}, nil
	}
	if err != nil {
		return mark{}, err
	}
	return readElement(text), nil
}

// ownDomain looks a domain up and refuses it if it is not the owner's.
func (h *Hypervisor) ownDomain(ctx context.Context, owner, name string) (golibvirt.Domain, error) {
	dom, err := h.findDomain(ctx, name)
	if err != nil {
		return dom, err
	}
	m, err := h.domainMark(ctx, dom)
	if err != nil {
		return dom, err
	}
	if m.Owner != owner {
		return dom, foreign(provision.KindDomain, name, m.Owner)
	}
	return dom, nil
}

// tries bounds looking again at a domain that changes under our hands.
const tries = 3

// runDomain brings a domain to running from whatever state it is in.
func (h *Hypervisor) runDomain(ctx context.Context, dom golibvirt.Domain) error {
	var err error
	for range tries {
		var state golibvirt.DomainState
		state, _, err = h.domainState(ctx, dom)
		if err != nil {
			return err
		}
		switch state {
		case golibvirt.DomainRunning, golibvirt.DomainBlocked:
			return nil
		case golibvirt.DomainPaused:
			err = h.resume(ctx, dom)
		case golibvirt.DomainPmsuspended:
			err = do(ctx, h.link, fmt.Sprintf("waking domain %q", dom.Name),
				func(l *golibvirt.Libvirt) error { return l.DomainPmWakeup(dom, 0) })
		case golibvirt.DomainCrashed, golibvirt.DomainShutdown:
			if err = h.destroy(ctx, dom); err == nil {
				err = h.start(ctx, dom)
			}
		default:
			err = h.start(ctx, dom)
		}
		if err != nil && !hasCode(err, golibvirt.ErrOperationInvalid, golibvirt.ErrOperationFailed) {
			return err
		}
	}
	state, reason, again := h.domainState(ctx, dom)
	switch {
	case again != nil:
		return again
	case state == golibvirt.DomainRunning, state == golibvirt.DomainBlocked:
		return nil
	case err != nil:
		return err
	case state == golibvirt.DomainPaused && reason == int32(golibvirt.DomainPausedIoerror):
		return &diskFullError{domain: dom.Name}
	}
	return fmt.Errorf("starting domain %q: it is %s again", dom.Name, stateWord(state))
}

// diskFullError: QEMU paused the guest because it could not write.
type diskFullError struct{ domain string }

func (e *diskFullError) Error() string {
	return fmt.Sprintf("resuming domain %q: paused again by an input/output error", e.domain)
}

// Hint says the usual cause.
func (e *diskFullError) Hint() string { return "the hypervisor's disk is most likely full: df -h" }

// removeDomain stops and removes a domain with its checkpoints, whose data goes
// with its disks.
func (h *Hypervisor) removeDomain(ctx context.Context, o provision.Object) error {
	dom, err := h.ownDomain(ctx, o.Owner, o.Name)
	if err != nil {
		return gone(err)
	}
	// Already off is what we want.
	if err := h.destroy(ctx, dom); err != nil && !hasCode(err, golibvirt.ErrOperationInvalid) {
		return gone(err)
	}
	err = h.undefine(ctx, dom, undefineAll)
	if hasCode(err, golibvirt.ErrInvalidArg) {
		// TPM state is known since libvirt 8.9; an older daemon refuses the flag.
		err = h.undefine(ctx, dom, undefineBasic)
	}
	if !hasCode(err, golibvirt.ErrOperationInvalid) {
		return err
	}
	// A transient domain cannot be undefined; stopped, it is gone by itself.
	if _, again := h.findDomain(ctx, o.Name); notFound(again) {
		return nil
	}
	return err
}

// What a domain's definition may drag along, and what every version since 1.2
// knows of it.
const (
	undefineBasic = golibvirt.DomainUndefineManagedSave | golibvirt.DomainUndefineSnapshotsMetadata
	undefineAll   = undefineBasic | golibvirt.DomainUndefineCheckpointsMetadata |
		golibvirt.DomainUndefineNvram | golibvirt.DomainUndefineTpm
)

func (h *Hypervisor) undefine(ctx context.Context, dom golibvirt.Domain, flags golibvirt.DomainUndefineFlagsValues) error {
	return gone(do(ctx, h.link, fmt.Sprintf("removing domain %q", dom.Name),
		func(l *golibvirt.Libvirt) error { return l.DomainUndefineFlags(dom, flags) }))
}
