package libvirt

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	golibvirt "github.com/digitalocean/go-libvirt"
	"libvirt.org/go/libvirtxml"

	"labctl/provision"
	"labctl/topology"
)

// makePool defines the owner's pool. A directory of that name may lie there
// already; if there is anything in it, it is somebody's, and the pool is
// undefined again: removing the pair would delete those files.
func (h *Hypervisor) makePool(ctx context.Context, owner string) (golibvirt.StoragePool, error) {
	pool, err := h.definePool(ctx, owner)
	if raced(err) {
		if found, again := h.findPool(ctx, owner); again == nil {
			return found, nil
		}
	}
	if err != nil {
		return pool, err
	}
	if err := h.checkNewPool(ctx, pool, owner); err != nil {
		return pool, errors.Join(err, h.dropPool(ctx, pool))
	}
	return pool, nil
}

func (h *Hypervisor) checkNewPool(ctx context.Context, pool golibvirt.StoragePool, owner string) error {
	// Not built yet: that would change the mode of a directory that is there. One
	// that is not there cannot be started, and has nothing in it.
	err := do(ctx, h.link, fmt.Sprintf("starting pool %q", pool.Name), func(l *golibvirt.Libvirt) error {
		return l.StoragePoolCreate(pool, golibvirt.StoragePoolCreateNormal)
	})
	if err != nil {
		return h.startPool(ctx, pool)
	}
	vols, err := h.volumes(ctx, pool)
	if err != nil || len(vols) == 0 {
		return err
	}
	occupied := &OccupiedError{Pool: pool.Name, Path: poolPath(h.poolRoot, owner), User: h.directoryOwner(ctx, pool)}
	for _, v := range vols {
		occupied.Files = append(occupied.Files, v.Name)
	}
	return occupied
}

// directoryOwner is the numeric user that a pool's directory belongs to; empty
// if that is not known.
func (h *Hypervisor) directoryOwner(ctx context.Context, pool golibvirt.StoragePool) string {
	text, err := call(ctx, h.link, fmt.Sprintf("reading pool %q", pool.Name),
		func(l *golibvirt.Libvirt) (string, error) { return l.StoragePoolGetXMLDesc(pool, 0) })
	doc := &libvirtxml.StoragePool{}
	if err != nil || doc.Unmarshal(text) != nil || doc.Target == nil || doc.Target.Permissions == nil {
		return ""
	}
	return doc.Target.Permissions.Owner
}

// dropLimit is how long taking back a definition may take after the caller has
// gone.
const dropLimit = 10 * time.Second

// dropPool undefines a pool and touches nothing in its directory.
func (h *Hypervisor) dropPool(ctx context.Context, pool golibvirt.StoragePool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropLimit)
	defer cancel()
	return do(ctx, h.link, fmt.Sprintf("undefining pool %q", pool.Name), func(l *golibvirt.Libvirt) error {
		_ = l.StoragePoolDestroy(pool) // it may be inactive; if it is not, undefining fails
		return l.StoragePoolUndefine(pool)
	})
}

// OccupiedError is a provision.ErrForeign: a new pool's directory holds files.
type OccupiedError struct {
	Pool, Path string
	// User is the numeric user that the directory belongs to; empty if that is
	// not known.
	User  string
	Files []string
}

func (e *OccupiedError) Error() string {
	whose := ""
	if e.User != "" {
		whose = " of user " + e.User
	}
	files, more := e.Files, ""
	if len(files) > 3 {
		files, more = files[:3], ", …"
	}
	return fmt.Sprintf("making pool %q: folder %q%s holds what this pair did not put there: %s%s", e.Pool, e.Path, whose, strings.Join(files, ", "), more)
}

func (e *OccupiedError) Unwrap() error { return provision.ErrForeign }

// Hint says what the user may do; labctl will not.
func (e *OccupiedError) Hint() string {
	return fmt.Sprintf("look into %s on the hypervisor's machine; move the folder away, or remove it if nobody needs it", e.Path)
}

// removePoolRoot removes the directory that all owners' pools are in, if it is
// labctl's own and empty. The daemon removes no directory but a pool's, so it is
// made one for a moment; it refuses if anything is inside. Nothing depends on
// it, so its errors are nobody's.
func (h *Hypervisor) removePoolRoot(ctx context.Context) {
	name := path.Base(h.poolRoot)
	if name != path.Base(DefaultPoolRoot) {
		return
	}
	doc, err := (&libvirtxml.StoragePool{
		Type: "dir", Name: name, UUID: topology.UUID(name, string(provision.KindPool), h.poolRoot),
		Target: &libvirtxml.StoragePoolTarget{Path: h.poolRoot},
	}).Marshal()
	if err != nil {
		return
	}
	_ = do(ctx, h.link, "removing the empty folder of pools", func(l *golibvirt.Libvirt) error {
		pool, err := l.StoragePoolDefineXML(doc, 0)
		if err != nil {
			return err
		}
		return errors.Join(l.StoragePoolDelete(pool, golibvirt.StoragePoolDeleteNormal), l.StoragePoolUndefine(pool))
	})
}
