package hypervisortest

import (
	"io/fs"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"labctl/provision"
)

var volumeTests = []test{
	{name: "empty ones are made once", run: func(b *bench) {
		for _, format := range []string{"raw", "qcow2"} {
			v := provision.Volume{Name: "disk-" + format, Format: format, Capacity: 4 << 20}
			require.Equal(b, b.volume(v), b.volume(v))
		}
		require.Equal(b, []string{"volume disk-qcow2", "volume disk-raw", "pool " + provision.PoolName(b.owner)}, b.objects(b.owner))
	}},
	{name: "an overlay keeps its backing file", needs: []Ability{Overlay}, run: func(b *bench) {
		base := b.volume(provision.Volume{Name: "base", Format: "qcow2", Capacity: 4 << 20, Shared: true})
		second := b.volume(provision.Volume{Name: "base2", Format: "qcow2", Capacity: 4 << 20, Shared: true})
		v := provision.Volume{Owner: b.owner, Name: "overlay", Format: "qcow2", Backing: base}
		require.Equal(b, b.volume(v), b.volume(v))
		v.Backing = second
		_, err := b.hv.EnsureVolume(b.ctx, v)
		require.ErrorIs(b, err, provision.ErrDiffers)
		require.ErrorContains(b, err, "overlay")
	}},
	{name: "an overlay may be larger", needs: []Ability{Overlay}, run: func(b *bench) {
		base := b.volume(provision.Volume{Name: "base", Format: "qcow2", Capacity: 4 << 20, Shared: true})
		v := provision.Volume{Owner: b.owner, Name: "overlay", Format: "qcow2", Backing: base, Capacity: 8 << 20}
		require.Equal(b, b.volume(v), b.volume(v))
		v.Capacity = 16 << 20
		_, err := b.hv.EnsureVolume(b.ctx, v)
		require.ErrorIs(b, err, provision.ErrDiffers)
	}},
	{name: "a missing backing file is an error", needs: []Ability{Overlay}, run: func(b *bench) {
		_, err := b.hv.EnsureVolume(b.ctx, provision.Volume{Owner: b.owner, Name: "overlay", Format: "qcow2",
			Backing: "/nowhere/base", Capacity: 1 << 20})
		require.ErrorContains(b, err, "overlay")
	}},
	{name: "a source arrives whole", needs: []Ability{Uploads}, run: func(b *bench) {
		content := strings.Repeat("seed of a node\n", 100_000) // more than one stream packet
		v := provision.Volume{Name: "seed", Format: "raw", Source: b.source("seed", content)}
		p := b.volume(v)
		if b.env.Content != nil {
			require.Equal(b, content, string(b.env.Content(b.T, p)))
		}
		require.Equal(b, p, b.volume(v))
	}},
	{name: "a half-filled one is made again", needs: []Ability{Uploads}, run: func(b *bench) {
		content := strings.Repeat("x", 1<<20)
		v := provision.Volume{Name: "seed", Format: "raw", Source: b.source("seed", content)}
		p := b.volume(v)
		for _, length := range []int64{0, 1, 1 << 19, 1<<20 - 1} {
			b.env.Cut(b.T, p, length)
			require.Equal(b, p, b.volume(v))
			if b.env.Content != nil {
				require.Len(b, b.env.Content(b.T, p), len(content), "after a cut to %d", length)
			}
		}
	}},
	{name: "other content of the same length is named", needs: []Ability{Uploads}, run: func(b *bench) {
		v := provision.Volume{Owner: b.owner, Name: "seed", Format: "raw", Source: b.source("seed", "one")}
		b.volume(v)
		v.Source = b.source("seed", "two")
		_, err := b.hv.EnsureVolume(b.ctx, v)
		require.ErrorIs(b, err, provision.ErrDiffers)
		require.ErrorContains(b, err, "seed")
	}},
	{name: "a missing source is an error", run: func(b *bench) {
		_, err := b.hv.EnsureVolume(b.ctx, provision.Volume{Owner: b.owner, Name: "seed", Format: "raw", Source: b.dir + "/none"})
		require.ErrorIs(b, err, fs.ErrNotExist)
		require.ErrorContains(b, err, "seed")
	}},
	{name: "many at once in a pool that is not there yet", run: func(b *bench) {
		var all sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			all.Go(func() {
				_, errs[i] = b.hv.EnsureVolume(b.ctx, provision.Volume{Owner: b.owner, Name: string(rune('a' + i)),
					Format: "qcow2", Capacity: 1 << 20})
			})
		}
		all.Wait()
		for _, err := range errs {
			require.NoError(b, err)
		}
		require.Len(b, b.objects(b.owner), 5)
	}},
	{name: "a pool goes with all that is in it", run: func(b *bench) {
		b.volume(provision.Volume{Name: "a", Format: "raw", Capacity: 1 << 20})
		pool := provision.Object{Kind: provision.KindPool, Name: provision.PoolName(b.owner), Owner: b.owner}
		require.NoError(b, b.hv.Remove(b.ctx, pool))
		require.Empty(b, b.objects(b.owner))
		require.NoError(b, b.hv.Remove(b.ctx, pool))
		b.volume(provision.Volume{Name: "a", Format: "raw", Capacity: 1 << 20})
	}},
	{name: "one that was deleted by hand is not listed, and made again", needs: []Ability{Uploads}, run: func(b *bench) {
		v := provision.Volume{Name: "a", Format: "qcow2", Capacity: 1 << 20}
		p := b.volume(v)
		b.volume(provision.Volume{Name: "b", Format: "qcow2", Capacity: 1 << 20})
		b.env.Lose(b.T, p)
		require.Equal(b, []string{"volume b", "pool " + provision.PoolName(b.owner)}, b.objects(b.owner))
		require.Equal(b, p, b.volume(v))
		require.Len(b, b.objects(b.owner), 3)
	}},
	{name: "those of an inactive pool are listed", run: func(b *bench) {
		if b.env.StopPool == nil {
			b.Skip("this hypervisor's pools are always active")
		}
		b.volume(provision.Volume{Name: "a", Format: "raw", Capacity: 1 << 20})
		mine := b.objects(b.owner)
		b.env.StopPool(b.T, provision.PoolName(b.owner))
		require.Equal(b, mine, b.objects(b.owner))
	}},
	{name: "someone else's pool is refused and named", run: func(b *bench) {
		name := provision.PoolName(b.owner)
		b.env.Foreign(b.T, provision.KindPool, name)
		_, err := b.hv.EnsureVolume(b.ctx, provision.Volume{Owner: b.owner, Name: "a", Format: "raw", Capacity: 1})
		b.foreign(err, provision.KindPool, name, "")
		b.foreign(b.hv.Remove(b.ctx, provision.Object{Kind: provision.KindPool, Name: name, Owner: b.owner}), provision.KindPool, name, "")
		require.Empty(b, b.objects(b.owner))
	}},
	{name: "a volume of another pool is refused", run: func(b *bench) {
		b.foreign(b.hv.Remove(b.ctx, provision.Object{Kind: provision.KindVolume, Name: "a", Pool: "default", Owner: b.owner}),
			provision.KindVolume, "a", "")
	}},
}
