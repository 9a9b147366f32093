package memory

import (
	"context"
	"fmt"

	"labctl/provision"
)

// EnsureDomain makes the domain exist and run.
func (h *Hypervisor) EnsureDomain(ctx context.Context, d provision.Domain) error {
	release, err := h.begin(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := checkNames(d.Owner, d.Name); err != nil {
		return err
	}
	have, ok := h.domains[d.Name]
	if !ok {
		p, err := h.ensurePool(d.Owner)
		if err != nil {
			return err
		}
		console := d.Name + ".console"
		if p.volumes[console] == nil {
			if err := h.act("create volume %s", console); err != nil {
				return err
			}
			p.volumes[console] = &volume{spec: provision.Volume{Owner: d.Owner, Name: console, Format: "raw"}, whole: true}
		}
		if err := h.act("define domain %s", d.Name); err != nil {
			return err
		}
		have = &domain{spec: d, state: provision.Off, checkpoints: map[string]int{}}
		h.domains[d.Name] = have
	}
	if have.spec.Owner != d.Owner {
		return foreign(provision.KindDomain, d.Name, have.spec.Owner)
	}
	if have.spec.UUID != d.UUID || have.spec.Fingerprint != d.Fingerprint {
		return fmt.Errorf("domain %q: %w", d.Name, provision.ErrDiffers)
	}
	return h.run(have)
}

func (h *Hypervisor) run(d *domain) error {
	switch d.state {
	case provision.Running:
		return nil
	case provision.Paused:
		if err := h.act("resume domain %s", d.spec.Name); err != nil {
			return err
		}
	default:
		if err := h.startable(d.spec); err != nil {
			return fmt.Errorf("starting domain %q: %w", d.spec.Name, err)
		}
		if err := h.act("start domain %s", d.spec.Name); err != nil {
			return err
		}
		d.console = append(d.console, "memory: "+d.spec.Name+" started\r\n"...)
	}
	d.state = provision.Running
	return nil
}

// startable asks what QEMU would: all files there, the network active.
func (h *Hypervisor) startable(d provision.Domain) error {
	for _, path := range []string{d.Kernel, d.Initrd, d.Disk, d.Backing, d.Seed} {
		if path == "" {
			continue
		}
		if v := h.volumeAt(path); v == nil || !v.whole {
			return fmt.Errorf("no whole volume at %q", path)
		}
	}
	if n, ok := h.networks[d.Network]; !ok || !n.active {
		return fmt.Errorf("network %q is not active", d.Network)
	}
	return nil
}

// DomainState tells what a domain is doing.
func (h *Hypervisor) DomainState(ctx context.Context, name string) (provision.State, error) {
	release, err := h.begin(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	d, ok := h.domains[name]
	if !ok {
		return "", fmt.Errorf("domain %q: %w", name, provision.ErrNotFound)
	}
	return d.state, nil
}

// Console returns the last bytes that a domain wrote to its serial port.
func (h *Hypervisor) Console(ctx context.Context, name string, limit int) ([]byte, error) {
	release, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	d, ok := h.domains[name]
	if !ok {
		return nil, fmt.Errorf("domain %q: %w", name, provision.ErrNotFound)
	}
	if d.spec.Owner == "" {
		return nil, foreign(provision.KindDomain, name, "")
	}
	from := max(0, len(d.console)-max(0, limit))
	return append([]byte(nil), d.console[from:]...), nil
}

func (h *Hypervisor) removeDomain(o provision.Object) error {
	d, ok := h.domains[o.Name]
	if !ok {
		return nil
	}
	if d.spec.Owner != o.Owner {
		return foreign(provision.KindDomain, o.Name, d.spec.Owner)
	}
	if d.state != provision.Off {
		if err := h.act("stop domain %s", o.Name); err != nil {
			return err
		}
		d.state = provision.Off
	}
	if err := h.act("remove domain %s", o.Name); err != nil {
		return err
	}
	delete(h.domains, o.Name)
	return nil
}
