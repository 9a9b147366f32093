package doctor

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// readClaims asks the kernel for all IPv4 addresses, and for the routes of all
// tables, in the network namespace of the calling thread. Routes that the kernel
// made of an address are left out: the address says it.
func readClaims() ([]Claim, error) {
	links, err := netlink.LinkList()
	if err != nil {
		return nil, fmt.Errorf("listing interfaces: %w", err)
	}
	names := map[int]string{}
	for _, l := range links {
		names[l.Attrs().Index] = l.Attrs().Name
	}
	addresses, err := netlink.AddrList(nil, netlink.FAMILY_V4)
	if err != nil {
		return nil, fmt.Errorf("listing addresses: %w", err)
	}
	var claims []Claim
	own := map[int][]netip.Prefix{}
	for _, a := range addresses {
		add := func(kind string, network *net.IPNet) {
			if p, ok := toPrefix(network); ok {
				claims = append(claims, Claim{Prefix: p, Kind: kind, Link: names[a.LinkIndex]})
				own[a.LinkIndex] = append(own[a.LinkIndex], p.Masked())
			}
		}
		add("address", a.IPNet)
		if a.Peer != nil && !a.Peer.IP.Equal(a.IP) {
			add("peer", a.Peer)
		}
	}
	routes, err := netlink.RouteListFiltered(netlink.FAMILY_V4,
		&netlink.Route{Table: unix.RT_TABLE_UNSPEC}, netlink.RT_FILTER_TABLE)
	if err != nil {
		return nil, fmt.Errorf("listing routes: %w", err)
	}
	for _, r := range routes {
		p, ok := toPrefix(r.Dst)
		if !ok || r.Protocol == unix.RTPROT_KERNEL && within(p, own[r.LinkIndex]) {
			continue
		}
		claims = append(claims, Claim{Prefix: p, Kind: routeKind(r.Type), Link: linksOf(r, names), Table: r.Table})
	}
	return claims, nil
}

// toPrefix keeps host bits: an address is shown with its own last number.
func toPrefix(network *net.IPNet) (netip.Prefix, bool) {
	if network == nil {
		return netip.Prefix{}, false
	}
	addr, ok := netip.AddrFromSlice(network.IP)
	ones, bits := network.Mask.Size()
	if !ok || bits == 0 {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(addr.Unmap(), ones), true
}

// within says whether one of the prefixes holds p.
func within(p netip.Prefix, prefixes []netip.Prefix) bool {
	for _, q := range prefixes {
		if q.Bits() <= p.Bits() && q.Contains(p.Addr()) {
			return true
		}
	}
	return false
}

// linksOf names a route's interface, or the first of several.
func linksOf(r netlink.Route, names map[int]string) string {
	if r.LinkIndex == 0 && len(r.MultiPath) > 0 {
		return names[r.MultiPath[0].LinkIndex]
	}
	return names[r.LinkIndex]
}

func routeKind(kind int) string {
	switch kind {
	case unix.RTN_BLACKHOLE:
		return "blackhole route"
	case unix.RTN_UNREACHABLE:
		return "unreachable route"
	case unix.RTN_PROHIBIT:
		return "prohibit route"
	case unix.RTN_LOCAL:
		return "local route"
	case unix.RTN_THROW:
		return "throw route"
	}
	return "route"
}
