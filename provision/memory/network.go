package memory

import (
	"context"
	"fmt"

	"labctl/provision"
)

// EnsureNetwork makes the network exist and be active.
func (h *Hypervisor) EnsureNetwork(ctx context.Context, n provision.Network) error {
	release, err := h.begin(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := checkNames(n.Owner, n.Name); err != nil {
		return err
	}
	have, ok := h.networks[n.Name]
	if !ok {
		if err := h.act("define network %s", n.Name); err != nil {
			return err
		}
		have = &network{spec: n}
		h.networks[n.Name] = have
	}
	if have.spec.Owner != n.Owner {
		return foreign(provision.KindNetwork, n.Name, have.spec.Owner)
	}
	if have.spec.CIDR != n.CIDR || have.spec.Gateway != n.Gateway || have.spec.MTU != n.MTU ||
		n.Bridge != "" && have.spec.Bridge != n.Bridge {
		return fmt.Errorf("network %q: %w", n.Name, provision.ErrDiffers)
	}
	if have.active {
		return nil
	}
	for name, other := range h.networks {
		if other.active && other.spec.CIDR.IsValid() && other.spec.CIDR.Overlaps(n.CIDR) {
			return fmt.Errorf("starting network %q: its addresses are in use by %q", n.Name, name)
		}
	}
	if err := h.act("start network %s", n.Name); err != nil {
		return err
	}
	have.active = true
	return nil
}

func (h *Hypervisor) removeNetwork(o provision.Object) error {
	n, ok := h.networks[o.Name]
	if !ok {
		return nil
	}
	if n.spec.Owner != o.Owner {
		return foreign(provision.KindNetwork, o.Name, n.spec.Owner)
	}
	if err := h.act("remove network %s", o.Name); err != nil {
		return err
	}
	delete(h.networks, o.Name)
	return nil
}
