package libvirt

import (
	"context"
	"fmt"
	"path"

	golibvirt "github.com/digitalocean/go-libvirt"

	"labctl/provision"
)

// ensureConsole makes the volume that the domain's serial port writes to, so
// that the daemon knows it from the start and can be asked for its content.
func (h *Hypervisor) ensureConsole(ctx context.Context, d provision.Domain) error {
	if path.Dir(d.Disk) != poolPath(h.poolRoot, d.Owner) {
		return fmt.Errorf("domain %q: disk %q is not in the owner's pool %s", d.Name, d.Disk, poolPath(h.poolRoot, d.Owner))
	}
	pool, err := h.ensurePool(ctx, d.Owner)
	if err != nil {
		return err
	}
	name := consoleVolume(d.Name)
	if _, err := h.findVolume(ctx, pool, name); !notFound(err) {
		return err
	}
	doc, err := VolumeXML(provision.Volume{Owner: d.Owner, Name: name, Format: "raw"})
	if err != nil {
		return err
	}
	_, err = h.createVolume(ctx, pool, name, doc)
	if hasCode(err, golibvirt.ErrStorageVolExist) {
		return nil
	}
	return err
}

// Console returns the last bytes that a domain wrote to its serial port.
func (h *Hypervisor) Console(ctx context.Context, domain string, limit int) ([]byte, error) {
	dom, err := h.findDomain(ctx, domain)
	if err != nil {
		return nil, err
	}
	m, err := h.domainMark(ctx, dom)
	if err != nil {
		return nil, err
	}
	if m.Owner == "" {
		return nil, foreign(provision.KindDomain, domain, "")
	}
	pool, err := h.findPool(ctx, m.Owner)
	if err != nil {
		return nil, err
	}
	vol, err := h.findVolume(ctx, pool, consoleVolume(domain))
	if err != nil {
		return nil, err
	}
	length, err := h.volumeLength(ctx, vol)
	if err != nil || length == 0 || limit <= 0 {
		return nil, err
	}
	want := min(uint64(limit), length)
	return h.download(ctx, vol, length-want, want)
}
