package capacity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/provision/capacity"
	"labctl/topology"
)

func TestNeed(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]capacity.Need{
		"pair":  {GuestMiB: 2600 + 1800 + 256, QEMUMiB: 3 * 300, DiskMiB: 4656 + 3*1024, VCPUs: 4, MostVCPUs: 2, Nodes: 3},
		"small": {GuestMiB: 256, QEMUMiB: 2 * 300, DiskMiB: 256 + 2*1024, VCPUs: 2, MostVCPUs: 1, Nodes: 2},
	} {
		top, err := topology.Embedded(name)
		require.NoError(t, err)
		assert.Equal(t, want, capacity.Of(top), name)
		top.Nodes[0].Optional = true
		assert.Equal(t, want.Nodes-1, capacity.Of(top).Nodes, "an optional node is not started")
		top.Hosts = true
		assert.Zero(t, capacity.Of(top), "hosts have what they need")
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	need := capacity.Need{GuestMiB: 900, QEMUMiB: 100, DiskMiB: 500, VCPUs: 4, Nodes: 3}
	off := capacity.Pair{Need: need}
	on := func(memory, disk int) capacity.Pair {
		return capacity.Pair{Need: need, Guests: 3, MemoryMiB: memory, DiskMiB: disk}
	}
	half := capacity.Pair{Need: need, Guests: 1, MemoryMiB: 300}
	type pairs = []capacity.Pair
	room := func(memory, disk int) capacity.Room { return capacity.Room{MemoryMiB: memory, DiskMiB: disk, CPUs: 2} }
	for _, c := range []struct {
		name                    string
		room                    capacity.Room
		seats, others           pairs
		fits                    bool
		fit, running            int
		memory, disk, mem, disc int // needed, and lacking
	}{
		{"two in an empty room", room(2000, 1000), pairs{off, off}, nil, true, 2, 0, 2000, 1000, 0, 0},
		{"a MiB of memory too little", room(1999, 1000), pairs{off, off}, nil, false, 1, 0, 2000, 1000, 1, 0},
		{"a MiB of disk too little", room(2000, 999), pairs{off, off}, nil, false, 1, 0, 2000, 1000, 0, 1},
		{"not one", room(10, 5000), pairs{off, off}, nil, false, 0, 0, 2000, 1000, 1990, 0},
		{"what runs has taken its share", room(1000, 500), pairs{on(1000, 500), off}, nil, true, 2, 1, 1000, 500, 0, 0},
		{"what runs may still grow", room(1000, 500), pairs{on(600, 200), off}, nil, false, 1, 1, 1400, 800, 400, 300},
		{"what runs took more than was allowed for", room(1000, 500), pairs{on(1300, 700), off}, nil, true, 2, 1, 1000, 500, 0, 0},
		{"one that runs behind one that does not", room(1000, 500), pairs{off, on(1000, 500)}, nil, true, 2, 1, 1000, 500, 0, 0},
		{"all run: nothing to refuse", room(0, 0), pairs{on(10, 0), on(10, 0)}, nil, true, 2, 2, 1980, 1000, 1980, 1000},
		{"half started", room(700, 500), pairs{half}, nil, true, 1, 0, 700, 500, 0, 0},
		{"others grow, too", room(1000, 500), pairs{off}, pairs{on(900, 450)}, false, 0, 0, 1100, 550, 100, 50},
		{"others that are off take no memory", room(1000, 1000), pairs{off}, pairs{off}, true, 1, 0, 1000, 1000, 0, 0},
		{"the third of four does not fit, nor does the fourth", room(2500, 9000), pairs{off, off, off, half}, nil, false, 2, 0, 3700, 2000, 1200, 0},
	} {
		got := capacity.Judge(c.room, c.seats, c.others)
		assert.Equal(t, c.fits, got.Fits(), c.name)
		assert.Equal(t, c.fit, got.Fit, "%s: how many fit", c.name)
		assert.Equal(t, c.running, got.Running, "%s: how many run", c.name)
		assert.Equal(t, []int{c.memory, c.disk, c.mem, c.disc},
			[]int{got.MemoryMiB, got.DiskMiB, got.LacksMemoryMiB(), got.LacksDiskMiB()}, c.name)
	}
}

func TestCPUs(t *testing.T) {
	t.Parallel()
	need := capacity.Need{VCPUs: 4, Nodes: 3}
	seats := []capacity.Pair{{Need: need}, {Need: need, Guests: 3}}
	got := capacity.Judge(capacity.Room{CPUs: 3}, seats, []capacity.Pair{{Need: need, Guests: 1}, {Need: need}})
	assert.Equal(t, 12, got.VCPUs, "a pair that is off uses none")
	assert.True(t, got.Crowded())
	assert.False(t, capacity.Judge(capacity.Room{CPUs: 4}, seats, nil).Crowded())
	assert.False(t, capacity.Judge(capacity.Room{CPUs: 1}, seats[:1], nil).Crowded(), "one has nobody to wait for")
	for cpus, want := range map[int]int{1: 1, 2: 1, 7: 1, 8: 2, 64: 16} {
		assert.Equal(t, want, capacity.AtOnce(cpus, need), "%d CPUs", cpus)
	}
}
