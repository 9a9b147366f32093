package memory

import (
	"context"
	"fmt"
	"os"

	"labctl/provision"
)

// VolumePath is the path that EnsureVolume returns.
func VolumePath(owner, name string) string { return "/memory/" + owner + "/" + name }

// EnsureVolume makes the volume exist with its content whole.
func (h *Hypervisor) EnsureVolume(ctx context.Context, v provision.Volume) (string, error) {
	release, err := h.begin(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	if err := checkNames(v.Owner, v.Name); err != nil {
		return "", err
	}
	size, content, err := readSource(v)
	if err != nil {
		return "", err
	}
	if v.Backing != "" && h.volumeAt(v.Backing) == nil {
		return "", fmt.Errorf("creating volume %q: no backing file %q", v.Name, v.Backing)
	}
	p, err := h.ensurePool(v.Owner)
	if err != nil {
		return "", err
	}
	have, ok := p.volumes[v.Name]
	if ok && have.whole && v.Source == "" {
		if err := compareVolume(have.spec, v); err != nil {
			return "", err
		}
		return VolumePath(v.Owner, v.Name), nil
	}
	if ok && have.whole && have.length == size {
		if have.content != content {
			return "", fmt.Errorf("volume %q: %w", v.Name, provision.ErrDiffers)
		}
		return VolumePath(v.Owner, v.Name), nil
	}
	if ok {
		if err := h.act("delete volume %s", v.Name); err != nil {
			return "", err
		}
		delete(p.volumes, v.Name)
	}
	if err := h.act("create volume %s", v.Name); err != nil {
		return "", err
	}
	p.volumes[v.Name] = &volume{spec: v, whole: v.Source == ""}
	if v.Source != "" {
		if err := h.act("fill volume %s", v.Name); err != nil {
			return "", err
		}
		filled := p.volumes[v.Name]
		filled.length, filled.content, filled.whole = size, content, true
	}
	return VolumePath(v.Owner, v.Name), nil
}

// readSource returns the size of the source, and its content if it is small
// enough to be compared.
func readSource(v provision.Volume) (size int64, content string, err error) {
	if v.Source == "" {
		return 0, "", nil
	}
	info, err := os.Stat(v.Source)
	if err != nil {
		return 0, "", fmt.Errorf("reading the source of volume %q: %w", v.Name, err)
	}
	if info.Size() > provision.ComparedSource {
		return info.Size(), "", nil
	}
	text, err := os.ReadFile(v.Source)
	if err != nil {
		return 0, "", fmt.Errorf("reading the source of volume %q: %w", v.Name, err)
	}
	return info.Size(), string(text), nil
}

func compareVolume(have, want provision.Volume) error {
	if have.Format != want.Format || have.Backing != want.Backing ||
		want.Capacity != 0 && have.Capacity != want.Capacity {
		return fmt.Errorf("volume %q: %w", want.Name, provision.ErrDiffers)
	}
	return nil
}

func (h *Hypervisor) ensurePool(owner string) (*pool, error) {
	if p, ok := h.pools[provision.PoolName(owner)]; ok {
		if p.owner != owner {
			return nil, foreign(provision.KindPool, provision.PoolName(owner), p.owner)
		}
		return p, nil
	}
	if err := h.act("make pool %s", provision.PoolName(owner)); err != nil {
		return nil, err
	}
	p := &pool{owner: owner, volumes: map[string]*volume{}}
	h.pools[provision.PoolName(owner)] = p
	return p, nil
}

// volumeAt finds a volume by its path; nil if there is none.
func (h *Hypervisor) volumeAt(path string) *volume {
	for _, p := range h.pools {
		for name, v := range p.volumes {
			if VolumePath(p.owner, name) == path {
				return v
			}
		}
	}
	return nil
}

func (h *Hypervisor) removeVolume(o provision.Object) error {
	p, ok := h.pools[o.Pool]
	if o.Pool != provision.PoolName(o.Owner) || ok && p.owner != o.Owner {
		return foreign(provision.KindVolume, o.Name, p.holder())
	}
	if !ok || p.volumes[o.Name] == nil {
		return nil
	}
	if err := h.act("delete volume %s", o.Name); err != nil {
		return err
	}
	delete(p.volumes, o.Name)
	return nil
}

func (h *Hypervisor) removePool(o provision.Object) error {
	p, ok := h.pools[o.Name]
	if o.Name != provision.PoolName(o.Owner) || ok && p.owner != o.Owner {
		return foreign(provision.KindPool, o.Name, p.holder())
	}
	if !ok {
		return nil
	}
	if err := h.act("delete pool %s", o.Name); err != nil {
		return err
	}
	delete(h.pools, o.Name)
	return nil
}
