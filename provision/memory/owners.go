package memory

import (
	"context"
	"slices"
)

// Owners lists every owner that has an object here, sorted.
func (h *Hypervisor) Owners(ctx context.Context) ([]string, error) {
	release, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	var owners []string
	for _, d := range h.domains {
		owners = append(owners, d.spec.Owner)
	}
	for _, n := range h.networks {
		owners = append(owners, n.spec.Owner)
	}
	for _, p := range h.pools {
		owners = append(owners, p.owner)
	}
	slices.Sort(owners)
	owners = slices.Compact(owners)
	return slices.DeleteFunc(owners, func(o string) bool { return o == "" }), nil
}
