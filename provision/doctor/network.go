package doctor

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
)

// Claim is an IPv4 prefix that this machine uses already.
type Claim struct {
	Prefix netip.Prefix
	// Kind is "address", "peer", "route", or a route's type and "route", such as
	// "blackhole route".
	Kind string
	// Link is the interface; empty if there is none.
	Link string
	// Table of a route; 0 for addresses.
	Table int
}

// The tables that need no mention, and the one of addresses.
const (
	tableMain  = 254
	tableLocal = 255
)

// String is the claim in the words of ip(8).
func (c Claim) String() string {
	text := c.Kind + " " + c.Prefix.String()
	if c.Link != "" {
		text += " dev " + c.Link
	}
	if c.Table != 0 && c.Table != tableMain {
		text += " table " + tableName(c.Table)
	}
	return text
}

func tableName(table int) string {
	if table == tableLocal {
		return "local"
	}
	return itoa(table)
}

// everything says whether a prefix means the whole internet: the default route,
// or one of the two halves that VPN clients put before it.
func everything(p netip.Prefix) bool { return p.Bits() <= 1 }

// overlaps returns the claims that share an address with the prefix. Those
// of the pair's own bridge are the pair itself.
func overlaps(prefix netip.Prefix, claims []Claim, bridge string) []Claim {
	var found []Claim
	for _, c := range claims {
		p := c.Prefix
		if !p.IsValid() || everything(p) || bridge != "" && c.Link == bridge {
			continue
		}
		if p.Overlaps(prefix) {
			found = append(found, c)
		}
	}
	return found
}

// network looks for anything that has the segment's addresses: libvirt itself
// only sees an equal route in the main table.
func network(_ context.Context, s survey) []Finding {
	if s.remote() {
		return nil
	}
	segment := s.Topology.Network.CIDR
	claims, err := s.Claims()
	if err != nil {
		return bad(fmt.Sprintf("reading routes and addresses: %v", err), "look yourself: ip route show table all; ip address")
	}
	found := overlaps(segment, claims, s.Bridge)
	if len(found) == 0 {
		return ok(fmt.Sprintf("%s is free: no address and no route, in any table, overlaps it", segment))
	}
	text := fmt.Sprintf("%s overlaps %s", segment, list(found))
	if s.private() {
		return note(text+"; it does not matter: the segment lives in a namespace of its own",
			"nothing to mend; reach nodes with labctl ssh: a plain ssh to them goes to the other network")
	}
	return bad(text, fmt.Sprintf("labctl up %s --hypervisor private, or a topology with another network, such as %s",
		s.Topology.Name, vacant(claims)))
}

// list names the first few.
func list(claims []Claim) string {
	const most = 4
	var words []string
	for i, c := range claims {
		if i == most {
			words = append(words, fmt.Sprintf("and %d more", len(claims)-most))
			break
		}
		words = append(words, c.String())
	}
	return strings.Join(words, ", ")
}

// vacant is a private /24 that nothing overlaps.
func vacant(claims []Claim) netip.Prefix {
	var candidates []netip.Prefix
	for third := 20; third < 256; third += 10 {
		candidates = append(candidates, netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 10, byte(third), 0}), 24))
	}
	for second := 20; second < 32; second++ {
		candidates = append(candidates, netip.PrefixFrom(netip.AddrFrom4([4]byte{172, byte(second), 130, 0}), 24))
	}
	for third := 10; third < 256; third += 10 {
		candidates = append(candidates, netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 168, byte(third), 0}), 24))
	}
	for _, p := range candidates {
		if len(overlaps(p, claims, "")) == 0 {
			return p
		}
	}
	return candidates[0]
}
