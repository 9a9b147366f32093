package libvirt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"strconv"

	golibvirt "github.com/digitalocean/go-libvirt"
	"libvirt.org/go/libvirtxml"

	"labctl/provision"
)

// EnsureVolume makes the volume exist with its content whole.
//
// A volume with a Source is whole when it is as long as its Source: it is made
// with no length and filled from the front. The content of small ones, such as
// seeds, is compared as well; the name of a large one should change with its
// content.
func (h *Hypervisor) EnsureVolume(ctx context.Context, v provision.Volume) (string, error) {
	if err := checkNames(v.Owner, v.Name); err != nil {
		return "", err
	}
	var size int64
	if v.Source != "" {
		info, err := os.Stat(v.Source)
		if err != nil {
			return "", fmt.Errorf("reading the source of volume %q: %w", v.Name, err)
		}
		if !info.Mode().IsRegular() || info.Size() == 0 {
			return "", fmt.Errorf("source %q of volume %q is no file with content", v.Source, v.Name)
		}
		if v.Shared && h.inPlace != nil {
			return h.inPlace(v.Source), nil
		}
		size = info.Size()
		if v.Capacity != 0 && (v.Format != "raw" || v.Capacity < uint64(size)) {
			return "", fmt.Errorf("volume %q: %w: a capacity of %d bytes for a %s source of %d",
				v.Name, provision.ErrUnsupported, v.Capacity, v.Format, size)
		}
	}
	pool, err := h.ensurePool(ctx, v.Owner)
	if err != nil {
		return "", err
	}
	whole, err := h.lookAtVolume(ctx, pool, v, size)
	if err != nil {
		return "", err
	}
	if whole {
		return h.volumePath(v.Owner, v.Name), nil
	}
	if err := h.makeVolume(ctx, pool, v, size); err != nil {
		return "", err
	}
	return h.volumePath(v.Owner, v.Name), nil
}

// lookAtVolume says whether the volume is there and whole, and clears away what
// is left of one that is not.
func (h *Hypervisor) lookAtVolume(ctx context.Context, pool golibvirt.StoragePool, v provision.Volume, size int64) (whole bool, err error) {
	vol, err := h.findVolume(ctx, pool, v.Name)
	if err != nil {
		return false, gone(err)
	}
	whole, err = h.compareVolume(ctx, vol, v, size)
	if notFound(err) {
		// The daemon knows the volume, but its file is gone.
		return false, h.refreshPool(ctx, pool)
	}
	if err != nil || whole {
		return whole, err
	}
	return false, h.deleteVolume(ctx, vol)
}

func (h *Hypervisor) volumePath(owner, name string) string {
	return path.Join(poolPath(h.poolRoot, owner), name)
}

func (h *Hypervisor) findVolume(ctx context.Context, pool golibvirt.StoragePool, name string) (golibvirt.StorageVol, error) {
	return call(ctx, h.link, fmt.Sprintf("looking up volume %q", name),
		func(l *golibvirt.Libvirt) (golibvirt.StorageVol, error) { return l.StorageVolLookupByName(pool, name) })
}

// compareVolume tells a whole volume from a half-filled one, and refuses one
// that was made for something else.
func (h *Hypervisor) compareVolume(ctx context.Context, vol golibvirt.StorageVol, v provision.Volume, size int64) (whole bool, err error) {
	if v.Source != "" {
		length, err := h.volumeLength(ctx, vol)
		if err != nil {
			return false, err
		}
		if length != max(uint64(size), v.Capacity) {
			return false, nil
		}
		return true, h.compareContent(ctx, vol, v, size)
	}
	have, err := h.volumeDocument(ctx, vol)
	if err != nil {
		return false, err
	}
	for _, c := range []struct{ what, have, want string }{
		{"format", formatOf(have), v.Format},
		{"backing file", backingOf(have), v.Backing},
		{"capacity", capacityOf(have), strconv.FormatUint(v.Capacity, 10)},
	} {
		if c.what == "capacity" && v.Capacity == 0 {
			continue
		}
		if c.have != c.want {
			return false, differs(provision.KindVolume, v.Name, c.what, c.have, c.want)
		}
	}
	return true, nil
}

// compareContent refuses a small volume that holds something else than its
// source does now: a domain may have it open.
func (h *Hypervisor) compareContent(ctx context.Context, vol golibvirt.StorageVol, v provision.Volume, size int64) error {
	if size > provision.ComparedSource {
		return nil
	}
	want, err := os.ReadFile(v.Source)
	if err != nil {
		return fmt.Errorf("reading the source of volume %q: %w", v.Name, err)
	}
	have, err := h.download(ctx, vol, 0, uint64(size))
	if err != nil {
		return err
	}
	if !bytes.Equal(have, want) {
		return differs(provision.KindVolume, v.Name, "content with SHA-256", digest(have), digest(want))
	}
	return nil
}

// digest is enough of a hash to tell two files apart in a message.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:6])
}

func (h *Hypervisor) volumeDocument(ctx context.Context, vol golibvirt.StorageVol) (*libvirtxml.StorageVolume, error) {
	text, err := call(ctx, h.link, fmt.Sprintf("reading volume %q", vol.Name),
		func(l *golibvirt.Libvirt) (string, error) { return l.StorageVolGetXMLDesc(vol, 0) })
	if err != nil {
		return nil, err
	}
	doc := &libvirtxml.StorageVolume{}
	if err := doc.Unmarshal(text); err != nil {
		return nil, fmt.Errorf("reading volume %q: %w", vol.Name, err)
	}
	return doc, nil
}

// volumeLength is the length of the volume's file in bytes, as it is now.
func (h *Hypervisor) volumeLength(ctx context.Context, vol golibvirt.StorageVol) (uint64, error) {
	return call(ctx, h.link, fmt.Sprintf("measuring volume %q", vol.Name), func(l *golibvirt.Libvirt) (uint64, error) {
		// With this flag, the figure named allocation is the file's length.
		_, _, length, err := l.StorageVolGetInfoFlags(vol, uint32(golibvirt.StorageVolGetPhysical))
		return length, err
	})
}

func formatOf(v *libvirtxml.StorageVolume) string {
	if v.Target == nil || v.Target.Format == nil {
		return ""
	}
	return v.Target.Format.Type
}

func backingOf(v *libvirtxml.StorageVolume) string {
	if v.BackingStore == nil {
		return ""
	}
	return v.BackingStore.Path
}

func capacityOf(v *libvirtxml.StorageVolume) string {
	if v.Capacity == nil {
		return ""
	}
	return strconv.FormatUint(v.Capacity.Value, 10)
}

// makeVolume creates the volume and fills it.
func (h *Hypervisor) makeVolume(ctx context.Context, pool golibvirt.StoragePool, v provision.Volume, size int64) error {
	doc, err := VolumeXML(v)
	if err != nil {
		return err
	}
	vol, err := h.createVolume(ctx, pool, v.Name, doc)
	if err != nil || v.Source == "" {
		return err
	}
	if err := h.upload(ctx, vol, v.Source, size); err != nil {
		return err
	}
	if v.Capacity > uint64(size) {
		return do(ctx, h.link, fmt.Sprintf("growing volume %q", v.Name), func(l *golibvirt.Libvirt) error {
			return l.StorageVolResize(vol, v.Capacity, 0)
		})
	}
	return nil
}

func (h *Hypervisor) createVolume(ctx context.Context, pool golibvirt.StoragePool, name, doc string) (vol golibvirt.StorageVol, err error) {
	err = settled(ctx, func() error {
		vol, err = callSlow(ctx, h.link, fmt.Sprintf("creating volume %q", name),
			func(l *golibvirt.Libvirt) (golibvirt.StorageVol, error) { return l.StorageVolCreateXML(pool, doc, 0) })
		return err
	})
	return vol, err
}

func (h *Hypervisor) deleteVolume(ctx context.Context, vol golibvirt.StorageVol) error {
	return gone(settled(ctx, func() error {
		return doSlow(ctx, h.link, fmt.Sprintf("deleting volume %q", vol.Name), func(l *golibvirt.Libvirt) error {
			return l.StorageVolDelete(vol, golibvirt.StorageVolDeleteNormal)
		})
	}))
}

func (h *Hypervisor) removeVolume(ctx context.Context, o provision.Object) error {
	if o.Pool != provision.PoolName(o.Owner) {
		return h.foreignStorage(ctx, provision.KindVolume, o.Name, o.Pool)
	}
	pool, err := h.findPool(ctx, o.Owner)
	if err != nil {
		return gone(err)
	}
	// Volumes of a pool that is not active cannot be looked up.
	if err := h.startPool(ctx, pool); err != nil {
		return gone(err)
	}
	vol, err := h.findVolume(ctx, pool, o.Name)
	if err != nil {
		return gone(err)
	}
	return h.deleteVolume(ctx, vol)
}
