package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"labctl/provision"
)

// Objects lists what carries the owner's mark.
func (h *Hypervisor) Objects(ctx context.Context, owner string) ([]provision.Object, error) {
	release, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := checkNames(owner); err != nil {
		return nil, err
	}
	var objects []provision.Object
	for _, name := range slices.Sorted(maps.Keys(h.domains)) {
		if h.domains[name].spec.Owner == owner {
			objects = append(objects, provision.Object{Kind: provision.KindDomain, Name: name, Owner: owner})
		}
	}
	if p, ok := h.pools[provision.PoolName(owner)]; ok && p.owner == owner {
		for _, name := range slices.Sorted(maps.Keys(p.volumes)) {
			objects = append(objects, provision.Object{Kind: provision.KindVolume, Name: name, Owner: owner, Pool: provision.PoolName(owner)})
		}
		objects = append(objects, provision.Object{Kind: provision.KindPool, Name: provision.PoolName(owner), Owner: owner})
	}
	for _, name := range slices.Sorted(maps.Keys(h.networks)) {
		if h.networks[name].spec.Owner == owner {
			objects = append(objects, provision.Object{Kind: provision.KindNetwork, Name: name, Owner: owner})
		}
	}
	return objects, nil
}

// Remove deletes one object, whatever state it is in.
func (h *Hypervisor) Remove(ctx context.Context, o provision.Object) error {
	release, err := h.begin(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := checkNames(o.Owner, o.Name); err != nil {
		return err
	}
	switch o.Kind {
	case provision.KindDomain:
		return h.removeDomain(o)
	case provision.KindVolume:
		return h.removeVolume(o)
	case provision.KindPool:
		return h.removePool(o)
	case provision.KindNetwork:
		return h.removeNetwork(o)
	}
	return fmt.Errorf("removing %q: no kind of object is called %q", o.Name, o.Kind)
}
