package hypervisortest

import (
	"sync"

	"github.com/stretchr/testify/require"

	"labctl/provision"
)

var domainTests = []test{
	{name: "a second ensure changes nothing", run: func(b *bench) {
		d := b.up(10, "a")[0]
		b.state(d.Name, provision.Running)
		require.NoError(b, b.hv.EnsureDomain(b.ctx, d))
		b.state(d.Name, provision.Running)
		require.Contains(b, b.objects(b.owner), "domain "+d.Name)
	}},
	{name: "a paused one is resumed", run: func(b *bench) {
		d := b.up(11, "a")[0]
		b.env.Pause(b.T, d.Name)
		b.state(d.Name, provision.Paused)
		require.NoError(b, b.hv.EnsureDomain(b.ctx, d))
		b.state(d.Name, provision.Running)
	}},
	{name: "one that is off is started", run: func(b *bench) {
		d := b.up(12, "a")[0]
		b.env.Stop(b.T, d.Name)
		b.state(d.Name, provision.Off)
		require.NoError(b, b.hv.EnsureDomain(b.ctx, d))
		b.state(d.Name, provision.Running)
	}},
	{name: "a failed start leaves a domain that the next ensure starts", needs: []Ability{Bridges}, run: func(b *bench) {
		n := b.network(13)
		d := b.domain("a", n)
		require.Error(b, b.hv.EnsureDomain(b.ctx, d), "its network is not there yet")
		b.state(d.Name, provision.Off)
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, n))
		require.NoError(b, b.hv.EnsureDomain(b.ctx, d))
		b.state(d.Name, provision.Running)
	}},
	{name: "a difference is named and changes nothing", run: func(b *bench) {
		d := b.up(14, "a")[0]
		changed := d
		changed.Fingerprint = "f2"
		err := b.hv.EnsureDomain(b.ctx, changed)
		require.ErrorIs(b, err, provision.ErrDiffers)
		require.ErrorContains(b, err, d.Name)
		b.state(d.Name, provision.Running)
	}},
	{name: "someone else's is refused, named and left alone", run: func(b *bench) {
		n := b.network(15)
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, n))
		d := b.domain("a", n)
		b.env.Foreign(b.T, provision.KindDomain, d.Name)
		before, err := b.hv.DomainState(b.ctx, d.Name)
		require.NoError(b, err)
		for verb, err := range map[string]error{
			"ensure":     b.hv.EnsureDomain(b.ctx, d),
			"checkpoint": b.hv.Checkpoint(b.ctx, b.owner, "ready", []string{d.Name}),
			"revert":     b.hv.Revert(b.ctx, b.owner, "ready", []string{d.Name}),
			"remove":     b.hv.Remove(b.ctx, provision.Object{Kind: provision.KindDomain, Name: d.Name, Owner: b.owner}),
		} {
			b.Log(verb)
			b.foreign(err, provision.KindDomain, d.Name, "")
		}
		b.state(d.Name, before)
		require.NotContains(b, b.objects(b.owner), "domain "+d.Name)
	}},
	{name: "two at once", run: func(b *bench) {
		n := b.network(16)
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, n))
		domains := []provision.Domain{b.domain("a", n), b.domain("b", n)}
		errs := make([]error, len(domains))
		var all sync.WaitGroup
		for i, d := range domains {
			all.Go(func() { errs[i] = b.hv.EnsureDomain(b.ctx, d) })
		}
		all.Wait()
		for i, d := range domains {
			require.NoError(b, errs[i])
			b.state(d.Name, provision.Running)
		}
	}},
	{name: "is removed in whatever state", run: func(b *bench) {
		for _, c := range []struct {
			state  provision.State
			bring  func(d provision.Domain)
			number int
		}{
			{provision.Running, func(provision.Domain) {}, 17},
			{provision.Paused, func(d provision.Domain) { b.env.Pause(b.T, d.Name) }, 17},
			{provision.Off, func(d provision.Domain) { b.env.Stop(b.T, d.Name) }, 17},
		} {
			d := b.up(c.number, "a")[0]
			c.bring(d)
			b.state(d.Name, c.state)
			o := provision.Object{Kind: provision.KindDomain, Name: d.Name, Owner: b.owner}
			require.NoError(b, b.hv.Remove(b.ctx, o))
			_, err := b.hv.DomainState(b.ctx, d.Name)
			require.ErrorIs(b, err, provision.ErrNotFound)
			require.NoError(b, b.hv.Remove(b.ctx, o), "and removing it again is no error")
		}
	}},
	{name: "console", needs: []Ability{Console}, run: func(b *bench) {
		d := b.up(18, "a")[0]
		none, err := b.hv.Console(b.ctx, d.Name, 0)
		require.NoError(b, err)
		require.Empty(b, none)
		all, err := b.hv.Console(b.ctx, d.Name, 1<<20)
		require.NoError(b, err)
		if len(all) > 3 {
			last, err := b.hv.Console(b.ctx, d.Name, 3)
			require.NoError(b, err)
			require.Len(b, last, 3)
		}
	}},
}
