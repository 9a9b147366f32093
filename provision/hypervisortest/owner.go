package hypervisortest

import (
	"github.com/stretchr/testify/require"

	"labctl/provision"
)

var ownerTests = []test{
	{name: "objects are listed in the order of removal", run: func(b *bench) {
		b.up(30, "a")
		var kinds []provision.Kind
		list, err := b.hv.Objects(b.ctx, b.owner)
		require.NoError(b, err)
		for _, o := range list {
			if len(kinds) == 0 || kinds[len(kinds)-1] != o.Kind {
				kinds = append(kinds, o.Kind)
			}
		}
		require.Equal(b, []provision.Kind{provision.KindDomain, provision.KindVolume, provision.KindPool, provision.KindNetwork}, kinds)
	}},
	{name: "do not see each other", run: func(b *bench) {
		d := b.up(31, "a")[0]
		mine := b.objects(b.owner)
		n := b.network(32)
		n.Owner, n.Name, n.Bridge = b.other(), b.pair+"-other", b.pair+"o"
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, n))
		_, err := b.hv.EnsureVolume(b.ctx, provision.Volume{Owner: b.other(), Name: "a", Format: "raw", Capacity: 1 << 20})
		require.NoError(b, err)

		require.Equal(b, mine, b.objects(b.owner))
		require.Len(b, b.objects(b.other()), 3)
		owners, err := b.hv.Owners(b.ctx)
		require.NoError(b, err)
		require.Subset(b, owners, []string{b.owner, b.other()})
		b.down(b.other())
		owners, err = b.hv.Owners(b.ctx)
		require.NoError(b, err)
		require.Contains(b, owners, b.owner)
		require.NotContains(b, owners, b.other())
		require.Equal(b, mine, b.objects(b.owner))
		b.state(d.Name, provision.Running)
	}},
	{name: "cannot take each other's names", run: func(b *bench) {
		d := b.up(33, "a")[0]
		n := b.network(33)
		n.Owner = b.other()
		b.foreign(b.hv.EnsureNetwork(b.ctx, n), provision.KindNetwork, n.Name, b.owner)
		for _, o := range []provision.Object{
			{Kind: provision.KindNetwork, Name: n.Name, Owner: b.other()},
			{Kind: provision.KindDomain, Name: d.Name, Owner: b.other()},
			{Kind: provision.KindPool, Name: provision.PoolName(b.owner), Owner: b.other()},
			{Kind: provision.KindVolume, Name: "a", Pool: provision.PoolName(b.owner), Owner: b.other()},
		} {
			b.foreign(b.hv.Remove(b.ctx, o), o.Kind, o.Name, b.owner)
		}
		require.NoError(b, b.hv.Checkpoint(b.ctx, b.owner, "ready", []string{d.Name}))
		mine := b.objects(b.owner)
		theirs := d
		theirs.Owner = b.other()
		b.foreign(b.hv.EnsureDomain(b.ctx, theirs), provision.KindDomain, d.Name, b.owner)
		b.foreign(b.hv.Checkpoint(b.ctx, b.other(), "ready", []string{d.Name}), provision.KindDomain, d.Name, b.owner)
		b.foreign(b.hv.Revert(b.ctx, b.other(), "ready", []string{d.Name}), provision.KindDomain, d.Name, b.owner)
		require.Equal(b, mine, b.objects(b.owner))
		require.Empty(b, b.objects(b.other()))
		b.state(d.Name, provision.Running)
	}},
}
