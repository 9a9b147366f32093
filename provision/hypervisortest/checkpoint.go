package hypervisortest

import (
	"github.com/stretchr/testify/require"

	"labctl/provision"
)

var checkpointTests = []test{
	{name: "taken and reverted to, running", run: func(b *bench) {
		domains := namesOf(b.up(20, "a", "b"))
		require.NoError(b, b.hv.Checkpoint(b.ctx, b.owner, "ready", domains))
		for _, d := range domains {
			b.state(d, provision.Running)
		}
		for range 2 {
			require.NoError(b, b.hv.Revert(b.ctx, b.owner, "ready", domains))
			for _, d := range domains {
				b.state(d, provision.Running)
			}
		}
	}},
	{name: "reverted to from off and paused", run: func(b *bench) {
		domains := namesOf(b.up(21, "a", "b"))
		require.NoError(b, b.hv.Checkpoint(b.ctx, b.owner, "ready", domains))
		b.env.Stop(b.T, domains[0])
		b.env.Pause(b.T, domains[1])
		require.NoError(b, b.hv.Revert(b.ctx, b.owner, "ready", domains))
		for _, d := range domains {
			b.state(d, provision.Running)
		}
	}},
	{name: "a new one takes the place of the old", run: func(b *bench) {
		domains := namesOf(b.up(22, "a", "b"))
		require.NoError(b, b.hv.Checkpoint(b.ctx, b.owner, "ready", domains))
		require.NoError(b, b.hv.Checkpoint(b.ctx, b.owner, "ready", domains))
		require.NoError(b, b.hv.Revert(b.ctx, b.owner, "ready", domains))
	}},
	{name: "is of running domains", run: func(b *bench) {
		domains := namesOf(b.up(23, "a", "b"))
		b.env.Stop(b.T, domains[1])
		require.ErrorContains(b, b.hv.Checkpoint(b.ctx, b.owner, "ready", domains), domains[1])
		b.state(domains[0], provision.Running)
		require.ErrorIs(b, b.hv.Revert(b.ctx, b.owner, "ready", domains[:1]), provision.ErrNotFound, "nothing was left")
	}},
	{name: "is one only where all domains have it", run: func(b *bench) {
		domains := namesOf(b.up(24, "a", "b"))
		require.NoError(b, b.hv.Checkpoint(b.ctx, b.owner, "ready", domains[:1]))
		require.ErrorIs(b, b.hv.Revert(b.ctx, b.owner, "ready", domains), provision.ErrNotFound)
		require.NoError(b, b.hv.Checkpoint(b.ctx, b.owner, "ready", domains[1:]))
		require.ErrorIs(b, b.hv.Revert(b.ctx, b.owner, "ready", domains), provision.ErrNotFound, "two moments are no checkpoint")
		for _, d := range domains {
			b.state(d, provision.Running)
		}
	}},
	{name: "names do not mix", run: func(b *bench) {
		domains := namesOf(b.up(25, "a"))
		require.NoError(b, b.hv.Checkpoint(b.ctx, b.owner, "ready", domains))
		require.ErrorIs(b, b.hv.Revert(b.ctx, b.owner, "read", domains), provision.ErrNotFound)
		require.ErrorIs(b, b.hv.Revert(b.ctx, b.owner, "ready2", domains), provision.ErrNotFound)
		require.NoError(b, b.hv.Checkpoint(b.ctx, b.owner, "ready2", domains))
		require.NoError(b, b.hv.Revert(b.ctx, b.owner, "ready", domains))
		require.NoError(b, b.hv.Revert(b.ctx, b.owner, "ready2", domains))
	}},
	{name: "goes with its domain", run: func(b *bench) {
		d := b.up(26, "a")[0]
		require.NoError(b, b.hv.Checkpoint(b.ctx, b.owner, "ready", []string{d.Name}))
		require.NoError(b, b.hv.Remove(b.ctx, provision.Object{Kind: provision.KindDomain, Name: d.Name, Owner: b.owner}))
		require.NoError(b, b.hv.EnsureDomain(b.ctx, d))
		require.ErrorIs(b, b.hv.Revert(b.ctx, b.owner, "ready", []string{d.Name}), provision.ErrNotFound)
	}},
	{name: "of nothing is an error", run: func(b *bench) {
		require.Error(b, b.hv.Checkpoint(b.ctx, b.owner, "ready", nil))
		require.Error(b, b.hv.Revert(b.ctx, b.owner, "ready", nil))
	}},
}
