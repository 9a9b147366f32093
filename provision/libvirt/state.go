package libvirt

import (
	"context"
	"fmt"

	golibvirt "github.com/digitalocean/go-libvirt"

	"labctl/provision"
)

func (h *Hypervisor) start(ctx context.Context, dom golibvirt.Domain) error {
	return doSlow(ctx, h.link, fmt.Sprintf("starting domain %q", dom.Name), func(l *golibvirt.Libvirt) error {
		_, err := l.DomainCreateWithFlags(dom, 0)
		return err
	})
}

func (h *Hypervisor) suspend(ctx context.Context, dom golibvirt.Domain) error {
	return do(ctx, h.link, fmt.Sprintf("suspending domain %q", dom.Name),
		func(l *golibvirt.Libvirt) error { return l.DomainSuspend(dom) })
}

func (h *Hypervisor) resume(ctx context.Context, dom golibvirt.Domain) error {
	return do(ctx, h.link, fmt.Sprintf("resuming domain %q", dom.Name),
		func(l *golibvirt.Libvirt) error { return l.DomainResume(dom) })
}

func (h *Hypervisor) destroy(ctx context.Context, dom golibvirt.Domain) error {
	return doSlow(ctx, h.link, fmt.Sprintf("stopping domain %q", dom.Name),
		func(l *golibvirt.Libvirt) error { return l.DomainDestroyFlags(dom, golibvirt.DomainDestroyDefault) })
}

func (h *Hypervisor) domainState(ctx context.Context, dom golibvirt.Domain) (golibvirt.DomainState, int32, error) {
	type state struct {
		state  golibvirt.DomainState
		reason int32
	}
	s, err := call(ctx, h.link, fmt.Sprintf("reading the state of domain %q", dom.Name),
		func(l *golibvirt.Libvirt) (state, error) {
			s, r, err := l.DomainGetState(dom, 0)
			return state{golibvirt.DomainState(s), r}, err
		})
	return s.state, s.reason, err
}

// DomainState tells what a domain is doing.
func (h *Hypervisor) DomainState(ctx context.Context, name string) (provision.State, error) {
	dom, err := h.findDomain(ctx, name)
	if err != nil {
		return "", err
	}
	state, _, err := h.domainState(ctx, dom)
	if err != nil {
		return "", err
	}
	return stateWord(state), nil
}

// stateWord is our word for a state, or libvirt's own.
func stateWord(s golibvirt.DomainState) provision.State {
	switch s {
	case golibvirt.DomainRunning, golibvirt.DomainBlocked:
		return provision.Running
	case golibvirt.DomainPaused:
		return provision.Paused
	case golibvirt.DomainShutoff:
		return provision.Off
	case golibvirt.DomainCrashed:
		return provision.Crashed
	case golibvirt.DomainShutdown:
		return "in shutdown"
	case golibvirt.DomainPmsuspended:
		return "pmsuspended"
	}
	return "no state"
}
