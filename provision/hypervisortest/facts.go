package hypervisortest

import (
	"context"

	"github.com/stretchr/testify/require"

	"labctl/provision"
)

var factsTests = []test{
	{name: "say why not", run: func(b *bench) {
		f, err := b.hv.Facts(b.ctx)
		require.NoError(b, err)
		require.NotEmpty(b, f.URI)
		require.NotEmpty(b, f.Libvirt)
		require.Equal(b, f.KVM, f.WhyNot == "", "KVM has a reason exactly if it is missing: %+v", f)
		require.Equal(b, f.Checkpoints, f.WhyNoCheckpoints == "", "so have checkpoints: %+v", f)
	}},
	{name: "nothing is not an error", run: func(b *bench) {
		require.Empty(b, b.objects(b.owner))
		for _, o := range []provision.Object{
			{Kind: provision.KindDomain, Name: "none"},
			{Kind: provision.KindVolume, Name: "none", Pool: provision.PoolName(b.owner)},
			{Kind: provision.KindPool, Name: provision.PoolName(b.owner)},
			{Kind: provision.KindNetwork, Name: "none"},
		} {
			o.Owner = b.owner
			require.NoError(b, b.hv.Remove(b.ctx, o), "removing a %s that is not there", o.Kind)
		}
	}},
	{name: "what is not there is not found", run: func(b *bench) {
		_, err := b.hv.DomainState(b.ctx, "none")
		require.ErrorIs(b, err, provision.ErrNotFound)
		_, err = b.hv.Console(b.ctx, "none", 100)
		require.ErrorIs(b, err, provision.ErrNotFound)
		require.ErrorIs(b, b.hv.Checkpoint(b.ctx, b.owner, "ready", []string{"none"}), provision.ErrNotFound)
		require.ErrorIs(b, b.hv.Revert(b.ctx, b.owner, "ready", []string{"none"}), provision.ErrNotFound)
	}},
	{name: "a kind that is none is refused", run: func(b *bench) {
		require.ErrorContains(b, b.hv.Remove(b.ctx, provision.Object{Kind: "cloud", Name: "x", Owner: b.owner}), "cloud")
	}},
	{name: "names that leave their folder are refused", run: func(b *bench) {
		for _, name := range []string{"", "..", "../x", "a/b", "-x", "a b"} {
			_, err := b.hv.EnsureVolume(b.ctx, provision.Volume{Owner: b.owner, Name: name, Format: "raw", Capacity: 1})
			require.Error(b, err, "volume %q", name)
			_, err = b.hv.EnsureVolume(b.ctx, provision.Volume{Owner: name, Name: "x", Format: "raw", Capacity: 1})
			require.Error(b, err, "owner %q", name)
		}
		require.Empty(b, b.objects(b.owner))
	}},
	{name: "every verb ends with its context", run: func(b *bench) {
		ctx, cancel := context.WithCancel(b.ctx)
		cancel()
		n := b.network(0)
		for name, verb := range map[string]func() error{
			"Facts":         func() error { _, err := b.hv.Facts(ctx); return err },
			"Objects":       func() error { _, err := b.hv.Objects(ctx, b.owner); return err },
			"EnsureNetwork": func() error { return b.hv.EnsureNetwork(ctx, n) },
			"EnsureVolume": func() error {
				_, err := b.hv.EnsureVolume(ctx, provision.Volume{Owner: b.owner, Name: "v", Format: "raw", Capacity: 1})
				return err
			},
			"EnsureDomain": func() error {
				return b.hv.EnsureDomain(ctx, provision.Domain{Owner: b.owner, Name: "d"})
			},
			"DomainState": func() error { _, err := b.hv.DomainState(ctx, "d"); return err },
			"Checkpoint":  func() error { return b.hv.Checkpoint(ctx, b.owner, "ready", []string{"d"}) },
			"Revert":      func() error { return b.hv.Revert(ctx, b.owner, "ready", []string{"d"}) },
			"Remove": func() error {
				return b.hv.Remove(ctx, provision.Object{Kind: provision.KindDomain, Name: "d", Owner: b.owner})
			},
			"Console": func() error { _, err := b.hv.Console(ctx, "d", 1); return err },
		} {
			require.ErrorIs(b, verb(), context.Canceled, name)
		}
		require.Empty(b, b.objects(b.owner), "and changed nothing")
	}},
}
