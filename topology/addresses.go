package topology

import (
	"net/netip"

	"labctl/internal/strictyaml"
)

func (v *validator) network(n network) {
	cidr := n.CIDR.Value
	switch {
	case !cidr.Addr().Is4():
		v.slips.Addf(n.CIDR.Pos, "cidr %s is not IPv4", cidr)
		return
	case cidr != cidr.Masked():
		v.slips.Addf(n.CIDR.Pos, "cidr %s has host bits: did you mean %s?", cidr, cidr.Masked())
		return
	case cidr.Bits() > 30:
		v.slips.Addf(n.CIDR.Pos, "cidr %s has no room for a gateway and a node", cidr)
		return
	}
	v.inside(n.Gateway, "gateway")
	if n.MTU != nil && (n.MTU.Value < minMTU || n.MTU.Value > maxMTU) {
		v.slips.Addf(n.MTU.Pos, "mtu %d is outside %d to %d", n.MTU.Value, minMTU, maxMTU)
	}
}

func (v *validator) addresses() {
	first := map[string]strictyaml.Pos{}
	for _, n := range v.file.Nodes.Value {
		addr := n.Address.Value
		key := addr.String()
		if v.file.Hosts.Value {
			// Several hosts may stand behind one address, each at its own port.
			key = netip.AddrPortFrom(addr, uint16(value(n.Port, DefaultPort))).String()
		}
		if at, dup := first[key]; dup {
			v.slips.Addf(n.Address.Pos, "address %s is taken by the node in line %d", addr, at.Line)
		} else {
			first[key] = n.Address.Pos
		}
		if v.file.Network == nil {
			continue
		}
		if addr == v.file.Network.Gateway.Value {
			v.slips.Addf(n.Address.Pos, "address %s is the gateway", addr)
		} else {
			v.inside(n.Address, "address")
		}
	}
}

// inside checks that an address can be had by a host of the network.
func (v *validator) inside(a at[netip.Addr], what string) {
	cidr := v.file.Network.CIDR.Value
	if !cidr.Addr().Is4() || cidr != cidr.Masked() || cidr.Bits() > 30 {
		return // said already, of the network
	}
	switch {
	case !cidr.Contains(a.Value):
		v.slips.Addf(a.Pos, "%s %s is outside %s", what, a.Value, cidr)
	case a.Value == cidr.Addr():
		v.slips.Addf(a.Pos, "%s %s is the address of the network itself", what, a.Value)
	case a.Value == broadcast(cidr):
		v.slips.Addf(a.Pos, "%s %s is the broadcast address of %s", what, a.Value, cidr)
	}
}

func broadcast(p netip.Prefix) netip.Addr {
	a := p.Addr().As4()
	for i := p.Bits(); i < 32; i++ {
		a[i/8] |= 1 << (7 - i%8)
	}
	return netip.AddrFrom4(a)
}
