package libvirt

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	golibvirt "github.com/digitalocean/go-libvirt"
	"github.com/google/uuid"

	"labctl/provision"
)

// poolPath is the directory of an owner's pool.
func poolPath(root, owner string) string { return path.Join(root, owner) }

// ensurePool makes the owner's pool exist and be active.
func (h *Hypervisor) ensurePool(ctx context.Context, owner string) (golibvirt.StoragePool, error) {
	if err := checkNames(owner); err != nil {
		return golibvirt.StoragePool{}, err
	}
	// One at a time: what another call puts into a new pool must not be taken for
	// what lay in its directory before.
	select {
	case h.making <- struct{}{}:
	case <-ctx.Done():
		return golibvirt.StoragePool{}, ctx.Err()
	}
	defer func() { <-h.making }()
	pool, err := h.findPool(ctx, owner)
	if notFound(err) {
		pool, err = h.makePool(ctx, owner)
	}
	if err != nil {
		return pool, err
	}
	return pool, h.startPool(ctx, pool)
}

// findPool looks the owner's pool up. A pool has no metadata: ours carries the
// UUID that we derive from the owner.
func (h *Hypervisor) findPool(ctx context.Context, owner string) (golibvirt.StoragePool, error) {
	name := provision.PoolName(owner)
	pool, err := call(ctx, h.link, fmt.Sprintf("looking up pool %q", name),
		func(l *golibvirt.Libvirt) (golibvirt.StoragePool, error) { return l.StoragePoolLookupByName(name) })
	if err != nil {
		return pool, err
	}
	if uuid.UUID(pool.UUID).String() != derivedUUID(provision.KindPool, owner, name) {
		return pool, foreign(provision.KindPool, name, "")
	}
	return pool, nil
}

// foreignStorage names a pool, or a volume in it, that is not the owner's, and
// whose it is.
func (h *Hypervisor) foreignStorage(ctx context.Context, kind provision.Kind, name, pool string) error {
	holder, ours := strings.CutPrefix(pool, provision.PoolName(""))
	if !ours {
		return foreign(kind, name, "")
	}
	_, err := h.findPool(ctx, holder)
	if notFound(err) || errors.Is(err, provision.ErrForeign) {
		return foreign(kind, name, "")
	}
	if err != nil {
		return err
	}
	return foreign(kind, name, holder)
}

func (h *Hypervisor) definePool(ctx context.Context, owner string) (golibvirt.StoragePool, error) {
	doc, err := PoolXML(owner, h.poolRoot)
	if err != nil {
		return golibvirt.StoragePool{}, err
	}
	return call(ctx, h.link, fmt.Sprintf("defining pool %q in %s", provision.PoolName(owner), poolPath(h.poolRoot, owner)),
		func(l *golibvirt.Libvirt) (golibvirt.StoragePool, error) { return l.StoragePoolDefineXML(doc, 0) })
}

// startPool makes the pool active, and its directory if that is gone.
func (h *Hypervisor) startPool(ctx context.Context, pool golibvirt.StoragePool) error {
	active, err := h.poolActive(ctx, pool)
	if err != nil || active {
		return err
	}
	err = do(ctx, h.link, fmt.Sprintf("starting pool %q", pool.Name), func(l *golibvirt.Libvirt) error {
		if err := l.StoragePoolBuild(pool, golibvirt.StoragePoolBuildNew); err != nil {
			return err
		}
		return l.StoragePoolCreate(pool, golibvirt.StoragePoolCreateNormal)
	})
	if raced(err) {
		if active, again := h.poolActive(ctx, pool); again == nil && active {
			return nil
		}
	}
	return err
}

func (h *Hypervisor) poolActive(ctx context.Context, pool golibvirt.StoragePool) (bool, error) {
	active, err := call(ctx, h.link, fmt.Sprintf("looking at pool %q", pool.Name),
		func(l *golibvirt.Libvirt) (int32, error) { return l.StoragePoolIsActive(pool) })
	return active == 1, err
}

// volumes lists a pool's volumes, after a look at its directory: logs that were
// rotated, and files put there by hand, are volumes too.
func (h *Hypervisor) volumes(ctx context.Context, pool golibvirt.StoragePool) ([]golibvirt.StorageVol, error) {
	if err := h.refreshPool(ctx, pool); err != nil {
		return nil, err
	}
	return call(ctx, h.link, fmt.Sprintf("listing volumes of pool %q", pool.Name),
		func(l *golibvirt.Libvirt) ([]golibvirt.StorageVol, error) {
			vols, _, err := l.StoragePoolListAllVolumes(pool, 1, 0)
			return vols, err
		})
}

// refreshPool looks at an active pool's directory. The daemon makes a pool
// inactive if its directory is gone; it is then made anew, empty.
func (h *Hypervisor) refreshPool(ctx context.Context, pool golibvirt.StoragePool) error {
	err := settled(ctx, func() error {
		return do(ctx, h.link, fmt.Sprintf("refreshing pool %q", pool.Name),
			func(l *golibvirt.Libvirt) error { return l.StoragePoolRefresh(pool, 0) })
	})
	if !hasCode(err, golibvirt.ErrSystemError, golibvirt.ErrOperationInvalid) {
		return err
	}
	if active, again := h.poolActive(ctx, pool); again != nil || active {
		return err
	}
	return h.startPool(ctx, pool)
}

// removePool deletes the pool with all that is in it and its directory.
func (h *Hypervisor) removePool(ctx context.Context, o provision.Object) error {
	if o.Name != provision.PoolName(o.Owner) {
		return h.foreignStorage(ctx, provision.KindPool, o.Name, o.Name)
	}
	pool, err := h.findPool(ctx, o.Owner)
	if err != nil {
		return gone(err)
	}
	if err := h.startPool(ctx, pool); err != nil {
		return gone(err)
	}
	vols, err := h.volumes(ctx, pool)
	if err != nil {
		return gone(err)
	}
	for _, v := range vols {
		if err := h.deleteVolume(ctx, v); err != nil {
			return err
		}
	}
	for _, step := range []struct {
		doing string
		fn    func(*golibvirt.Libvirt) error
	}{
		{"stopping", func(l *golibvirt.Libvirt) error { return l.StoragePoolDestroy(pool) }},
		{"deleting the directory of", func(l *golibvirt.Libvirt) error { return l.StoragePoolDelete(pool, golibvirt.StoragePoolDeleteNormal) }},
		{"removing", func(l *golibvirt.Libvirt) error { return l.StoragePoolUndefine(pool) }},
	} {
		err := settled(ctx, func() error {
			return do(ctx, h.link, fmt.Sprintf("%s pool %q", step.doing, pool.Name), step.fn)
		})
		if err != nil {
			return gone(err)
		}
	}
	h.removePoolRoot(ctx)
	return nil
}
