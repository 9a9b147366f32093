package hypervisortest

import (
	"net/netip"

	"github.com/stretchr/testify/require"

	"labctl/provision"
)

var networkTests = []test{
	{name: "a second ensure changes nothing", run: func(b *bench) {
		n := b.network(1)
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, n))
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, n))
		require.Equal(b, []string{"network " + n.Name}, b.objects(b.owner))
	}},
	{name: "an inactive one is started", needs: []Ability{Bridges}, run: func(b *bench) {
		d := b.up(2, "a")[0]
		b.env.Stop(b.T, d.Name)
		b.env.StopNetwork(b.T, d.Network)
		require.Error(b, b.hv.EnsureDomain(b.ctx, d), "the test needs an inactive network")
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, b.network(2)))
		require.NoError(b, b.hv.EnsureDomain(b.ctx, d))
	}},
	{name: "an inactive one is removed", run: func(b *bench) {
		n := b.network(3)
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, n))
		b.env.StopNetwork(b.T, n.Name)
		b.down(b.owner)
	}},
	{name: "a difference is named and changes nothing", run: func(b *bench) {
		n := b.network(4)
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, n))
		for what, change := range map[string]func(*provision.Network){
			"gateway": func(n *provision.Network) { n.Gateway = n.Gateway.Next() },
			"size":    func(n *provision.Network) { n.CIDR = netip.PrefixFrom(n.CIDR.Addr(), 25) },
			"mtu":     func(n *provision.Network) { n.MTU = 1300 },
			"bridge":  func(n *provision.Network) { n.Bridge = "otherbridge" },
		} {
			changed := n
			change(&changed)
			err := b.hv.EnsureNetwork(b.ctx, changed)
			require.ErrorIs(b, err, provision.ErrDiffers, what)
			require.ErrorContains(b, err, n.Name)
		}
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, n))
	}},
	{name: "someone else's is refused and named", run: func(b *bench) {
		n := b.network(5)
		b.env.Foreign(b.T, provision.KindNetwork, n.Name)
		err := b.hv.EnsureNetwork(b.ctx, n)
		b.foreign(err, provision.KindNetwork, n.Name, "")
		require.Empty(b, b.objects(b.owner))
		err = b.hv.Remove(b.ctx, provision.Object{Kind: provision.KindNetwork, Name: n.Name, Owner: b.owner})
		b.foreign(err, provision.KindNetwork, n.Name, "")
	}},
	{name: "addresses in use are an error", needs: []Ability{Bridges}, run: func(b *bench) {
		n := b.network(6)
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, n))
		n.Name, n.Bridge = n.Name+"2", n.Bridge+"2"
		require.Error(b, b.hv.EnsureNetwork(b.ctx, n))
	}},
	{name: "removing twice is no error", run: func(b *bench) {
		n := b.network(7)
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, n))
		o := provision.Object{Kind: provision.KindNetwork, Name: n.Name, Owner: b.owner}
		require.NoError(b, b.hv.Remove(b.ctx, o))
		require.NoError(b, b.hv.Remove(b.ctx, o))
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, n), "and it can be made again")
	}},
}
