package libvirt

import (
	"context"
	"slices"
	"strings"

	golibvirt "github.com/digitalocean/go-libvirt"
	"github.com/google/uuid"

	"labctl/provision"
)

// Owners lists every owner that has an object here, sorted.
func (h *Hypervisor) Owners(ctx context.Context) ([]string, error) {
	var owners []string
	domains, err := call(ctx, h.link, "listing domains", func(l *golibvirt.Libvirt) ([]golibvirt.Domain, error) {
		d, _, err := l.ConnectListAllDomains(1, golibvirt.ConnectListDomainsActive|golibvirt.ConnectListDomainsInactive)
		return d, err
	})
	if err != nil {
		return nil, err
	}
	for _, d := range domains {
		m, err := h.domainMark(ctx, d)
		if err != nil && !notFound(err) {
			return nil, err
		}
		owners = append(owners, m.Owner)
	}
	networks, err := call(ctx, h.link, "listing networks", func(l *golibvirt.Libvirt) ([]golibvirt.Network, error) {
		n, _, err := l.ConnectListAllNetworks(1, 0)
		return n, err
	})
	if err != nil {
		return nil, err
	}
	for _, n := range networks {
		_, m, err := h.networkDocument(ctx, n)
		if err != nil && !notFound(err) {
			return nil, err
		}
		owners = append(owners, m.Owner)
	}
	pools, err := call(ctx, h.link, "listing storage pools", func(l *golibvirt.Libvirt) ([]golibvirt.StoragePool, error) {
		p, _, err := l.ConnectListAllStoragePools(1, 0)
		return p, err
	})
	if err != nil {
		return nil, err
	}
	for _, p := range pools {
		// A pool has no metadata: it is an owner's if its UUID derives from him.
		owner, ours := strings.CutPrefix(p.Name, provision.PoolName(""))
		if ours && uuid.UUID(p.UUID).String() == derivedUUID(provision.KindPool, owner, p.Name) {
			owners = append(owners, owner)
		}
	}
	slices.Sort(owners)
	owners = slices.Compact(owners)
	return slices.DeleteFunc(owners, func(o string) bool { return o == "" }), nil
}
