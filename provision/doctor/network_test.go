package doctor

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
)

func claim(prefix, kind, link string, table int) Claim {
	return Claim{Prefix: netip.MustParsePrefix(prefix), Kind: kind, Link: link, Table: table}
}

func TestOverlaps(t *testing.T) {
	t.Parallel()
	segment := netip.MustParsePrefix("10.10.10.0/24")
	for _, c := range []struct {
		name string
		Claim
		want bool
	}{
		{"equal", claim("10.10.10.0/24", "route", "br0", tableMain), true},
		{"wider, a VPN's", claim("10.0.0.0/8", "route", "tun0", tableMain), true},
		{"wider by one bit", claim("10.10.10.0/23", "route", "eth0", tableMain), true},
		{"much wider", claim("8.0.0.0/6", "route", "tun0", tableMain), true},
		{"narrower", claim("10.10.10.128/25", "route", "eth1", tableMain), true},
		{"one address routed", claim("10.10.10.130/32", "route", "wg0", tableMain), true},
		{"a host's address inside", claim("10.10.10.77/24", "address", "eth1", 0), true},
		{"a host's address inside, as /32", claim("10.10.10.77/32", "address", "lo", 0), true},
		{"an address outside with a prefix that reaches in", claim("10.10.4.1/20", "address", "eth1", 0), true},
		{"the far end of a tunnel", claim("10.10.10.1/32", "peer", "ppp0", 0), true},
		{"the first address", claim("10.10.10.0/32", "route", "eth0", tableMain), true},
		{"the last address", claim("10.10.10.255/32", "route", "eth0", tableMain), true},
		{"blackhole", claim("10.10.10.0/24", "blackhole route", "", tableMain), true},
		{"another table", claim("10.10.10.0/24", "route", "ipsec0", 220), true},
		{"the local table", claim("10.10.10.9/32", "local route", "lo", tableLocal), true},
		{"the neighbour below", claim("10.10.9.0/24", "route", "eth0", tableMain), false},
		{"the neighbour above", claim("10.10.11.0/24", "route", "eth0", tableMain), false},
		{"far away", claim("192.168.1.0/24", "route", "eth0", tableMain), false},
		{"IPv6", claim("fd00::/64", "route", "eth0", tableMain), false},
		{"all of IPv6", claim("::/0", "route", "eth0", tableMain), false},
		{"the default route", claim("0.0.0.0/0", "route", "eth0", tableMain), false},
		{"another table's default route", claim("0.0.0.0/0", "route", "tun0", 51820), false},
		{"half of the default route", claim("0.0.0.0/1", "route", "tun0", tableMain), false},
		{"the pair's own bridge", claim("10.10.10.1/24", "address", "lab-47d8bd46", 0), false},
		{"none", Claim{Kind: "route"}, false},
	} {
		found := overlaps(segment, []Claim{c.Claim}, "lab-47d8bd46")
		assert.Equal(t, c.want, len(found) == 1, "%s: %s", c.name, c.Claim)
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	claims := func(all ...Claim) func(*testing.T, *Machine) {
		return func(_ *testing.T, m *Machine) { m.Claims = func() ([]Claim, error) { return all, nil } }
	}
	shared := func(all ...Claim) func(*testing.T, *Machine) {
		return func(t *testing.T, m *Machine) { system(m, facts()); claims(all...)(t, m) }
	}
	vpn := claim("10.0.0.0/8", "route", "tun0", tableMain)
	play(t, "network", []scene{
		{"free", nil, []string{"ok: 10.10.10.0/24 is free: no address and no route, in any table, overlaps it"}},
		{"private", claims(vpn, claim("10.10.10.7/24", "address", "eth1", 0)),
			[]string{"note: 10.10.10.0/24 overlaps route 10.0.0.0/8 dev tun0, address 10.10.10.7/24 dev eth1; it does not matter: the segment lives in a namespace of its own -> nothing to mend; reach nodes with labctl ssh: a plain ssh to them goes to the other network"}},
		{"shared, wider", shared(vpn),
			[]string{"bad: 10.10.10.0/24 overlaps route 10.0.0.0/8 dev tun0 -> labctl up pair --hypervisor private, or a topology with another network, such as 172.20.130.0/24"}},
		{"shared, another table", shared(claim("10.10.10.128/25", "route", "ipsec0", 220), claim("10.10.10.0/24", "blackhole route", "", tableMain)),
			[]string{"bad: 10.10.10.0/24 overlaps route 10.10.10.128/25 dev ipsec0 table 220, blackhole route 10.10.10.0/24 -> labctl up pair --hypervisor private, or a topology with another network, such as 10.10.20.0/24"}},
		{"shared, the pair is up", shared(claim("10.10.10.1/24", "address", "lab-47d8bd46", 0)),
			[]string{"ok: 10.10.10.0/24 is free: no address and no route, in any table, overlaps it"}},
		{"many", shared(vpn, vpn, vpn, vpn, vpn, vpn),
			[]string{"bad: 10.10.10.0/24 overlaps route 10.0.0.0/8 dev tun0, route 10.0.0.0/8 dev tun0, route 10.0.0.0/8 dev tun0, route 10.0.0.0/8 dev tun0, and 2 more -> labctl up pair --hypervisor private, or a topology with another network, such as 172.20.130.0/24"}},
		{"unreadable", func(_ *testing.T, m *Machine) {
			m.Claims = func() ([]Claim, error) { return nil, errors.New("no netlink") }
		}, []string{"bad: reading routes and addresses: no netlink -> look yourself: ip route show table all; ip address"}},
		{"another machine", func(t *testing.T, m *Machine) { shared(vpn)(t, m); m.Hypervisor = "qemu+ssh://far/system" }, []string{}},
	})
}
