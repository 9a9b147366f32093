package libvirt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	golibvirt "github.com/digitalocean/go-libvirt"

	"labctl/provision"
)

// Objects lists what carries the owner's mark. An object that goes away while
// we look is left out.
func (h *Hypervisor) Objects(ctx context.Context, owner string) ([]provision.Object, error) {
	if err := checkNames(owner); err != nil {
		return nil, err
	}
	objects, err := h.domainObjects(ctx, owner)
	if err != nil {
		return nil, err
	}
	storage, err := h.storageObjects(ctx, owner)
	if err != nil {
		return nil, err
	}
	networks, err := h.networkObjects(ctx, owner)
	if err != nil {
		return nil, err
	}
	return slices.Concat(objects, storage, networks), nil
}

func byName(a, b provision.Object) int { return cmp.Compare(a.Name, b.Name) }

func (h *Hypervisor) domainObjects(ctx context.Context, owner string) ([]provision.Object, error) {
	domains, err := call(ctx, h.link, "listing domains", func(l *golibvirt.Libvirt) ([]golibvirt.Domain, error) {
		d, _, err := l.ConnectListAllDomains(1, golibvirt.ConnectListDomainsActive|golibvirt.ConnectListDomainsInactive)
		return d, err
	})
	if err != nil {
		return nil, err
	}
	var objects []provision.Object
	for _, d := range domains {
		m, err := h.domainMark(ctx, d)
		if notFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if m.Owner == owner {
			objects = append(objects, provision.Object{Kind: provision.KindDomain, Name: d.Name, Owner: owner})
		}
	}
	slices.SortFunc(objects, byName)
	return objects, nil
}

func (h *Hypervisor) storageObjects(ctx context.Context, owner string) ([]provision.Object, error) {
	pool, err := h.findPool(ctx, owner)
	if notFound(err) || errors.Is(err, provision.ErrForeign) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	itself := provision.Object{Kind: provision.KindPool, Name: pool.Name, Owner: owner}
	active, err := h.poolActive(ctx, pool)
	if err != nil {
		return nil, gone(err)
	}
	if !active {
		// Its volumes cannot be seen. It is not built: where its directory is gone,
		// it has none.
		err := do(ctx, h.link, fmt.Sprintf("starting pool %q", pool.Name), func(l *golibvirt.Libvirt) error {
			return l.StoragePoolCreate(pool, golibvirt.StoragePoolCreateNormal)
		})
		if err != nil {
			return []provision.Object{itself}, nil
		}
	}
	vols, err := h.volumes(ctx, pool)
	if err != nil {
		return nil, fmt.Errorf("looking into pool %q: %w", pool.Name, err)
	}
	var objects []provision.Object
	for _, v := range vols {
		objects = append(objects, provision.Object{Kind: provision.KindVolume, Name: v.Name, Owner: owner, Pool: pool.Name})
	}
	slices.SortFunc(objects, byName)
	return append(objects, itself), nil
}

func (h *Hypervisor) networkObjects(ctx context.Context, owner string) ([]provision.Object, error) {
	networks, err := call(ctx, h.link, "listing networks", func(l *golibvirt.Libvirt) ([]golibvirt.Network, error) {
		n, _, err := l.ConnectListAllNetworks(1, 0)
		return n, err
	})
	if err != nil {
		return nil, err
	}
	var objects []provision.Object
	for _, n := range networks {
		_, m, err := h.networkDocument(ctx, n)
		if notFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if m.Owner == owner {
			objects = append(objects, provision.Object{Kind: provision.KindNetwork, Name: n.Name, Owner: owner})
		}
	}
	slices.SortFunc(objects, byName)
	return objects, nil
}

// Remove deletes one object, whatever state it is in.
func (h *Hypervisor) Remove(ctx context.Context, o provision.Object) error {
	if err := checkNames(o.Owner, o.Name); err != nil {
		return err
	}
	switch o.Kind {
	case provision.KindDomain:
		return h.removeDomain(ctx, o)
	case provision.KindVolume:
		return h.removeVolume(ctx, o)
	case provision.KindPool:
		return h.removePool(ctx, o)
	case provision.KindNetwork:
		return h.removeNetwork(ctx, o)
	}
	return fmt.Errorf("removing %q: no kind of object is called %q", o.Name, o.Kind)
}
