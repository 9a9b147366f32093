package hypervisortest

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"labctl/provision"
	"labctl/topology"
)

// bench is what one test works with: an owner of its own, whose objects go when
// the test ends.
type bench struct {
	*testing.T
	env   Env
	hv    provision.Hypervisor
	ctx   context.Context
	pair  string // what names begin with
	owner string // as a pair's record has it: the pair's name, a dot, eight digits
	dir   string // for source files
}

func newBench(t *testing.T, env Env, needs []Ability) *bench {
	for _, n := range needs {
		if why, lacks := env.Lacks[n]; lacks {
			t.Skipf("this hypervisor lacks %s: %s; the same test runs where there are such, in provision/libvirt under a private hypervisor, as root, as `make test` does", n, why)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), env.Limit)
	sum := sha1.Sum([]byte(t.Name()))
	b := &bench{T: t, env: env, hv: env.Hypervisor, ctx: ctx, dir: t.TempDir(),
		pair: "t" + hex.EncodeToString(sum[:4])}
	b.owner = b.pair + ".1a2b3c4d"
	t.Cleanup(func() {
		cancel()
		b.down(b.owner)
		b.down(b.other())
	})
	return b
}

// other is a second owner: another labctl's pair of the same name.
func (b *bench) other() string { return b.pair + ".5e6f7a8b" }

// down removes all that an owner has, in the order in which it is listed.
func (b *bench) down(owner string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), b.env.Limit)
	defer cancel()
	objects, err := b.hv.Objects(ctx, owner)
	require.NoError(b, err)
	for _, o := range objects {
		require.NoError(b, b.hv.Remove(ctx, o))
	}
	left, err := b.hv.Objects(ctx, owner)
	require.NoError(b, err)
	require.Empty(b, left, "after removing all in the listed order")
}

// network is one that no other test of the suite has: the third number of its
// addresses is from 200.
func (b *bench) network(number int) provision.Network {
	return provision.Network{
		Owner: b.owner, Name: b.pair + "-net", MTU: 1400,
		CIDR:    netip.MustParsePrefix(fmt.Sprintf("10.10.%d.0/24", 200+number)),
		Gateway: netip.MustParseAddr(fmt.Sprintf("10.10.%d.1", 200+number)),
		Bridge:  fmt.Sprintf("%sn%d", b.pair, number),
	}
}

// source writes a local file.
func (b *bench) source(name, content string) string {
	p := filepath.Join(b.dir, name)
	require.NoError(b, os.WriteFile(p, []byte(content), 0o644))
	return p
}

// volume makes a volume of the bench's owner.
func (b *bench) volume(v provision.Volume) string {
	v.Owner = b.owner
	p, err := b.hv.EnsureVolume(b.ctx, v)
	require.NoError(b, err)
	return p
}

// domain is a small one on a network, with an empty disk made for it.
func (b *bench) domain(name string, n provision.Network) provision.Domain {
	d := provision.Domain{
		Owner: b.owner, Name: b.pair + "-" + name, Hostname: name,
		UUID: topology.UUID(b.pair, "domain", name), MAC: topology.MAC(b.pair, name), Fingerprint: "f1",
		Accelerator: b.env.Accelerator, VCPUs: 1, MemoryMiB: 64, Network: n.Name,
	}
	d.Backing = b.volume(provision.Volume{Name: "base", Format: "qcow2", Capacity: 8 << 20, Shared: true})
	d.Disk = b.volume(provision.Volume{Name: name, Format: "qcow2", Backing: d.Backing, Capacity: 8 << 20})
	return d
}

// guest is a domain that boots the image.
func (b *bench) guest(name string, n provision.Network) provision.Domain {
	i := b.env.Image
	d := b.domain(name, n)
	d.MemoryMiB, d.Cmdline = i.MemoryMiB, i.Cmdline
	d.Kernel = b.volume(provision.Volume{Name: "kernel", Format: "raw", Source: i.Kernel, Shared: true})
	d.Initrd = b.volume(provision.Volume{Name: "initrd", Format: "raw", Source: i.Initrd, Shared: true})
	d.Backing = b.volume(provision.Volume{Name: "image", Format: "qcow2", Source: i.Disk, Shared: true})
	d.Disk = b.volume(provision.Volume{Name: name + "-guest", Format: "qcow2", Backing: d.Backing, Capacity: 1 << 30})
	d.Seed = b.volume(provision.Volume{Name: name + "-seed", Format: "raw",
		Source: i.Seed(b.T, Node{Name: name, MAC: d.MAC, Address: address(n, name), Network: n})})
	return d
}

// address is a node's: .130 for the first letter of the alphabet and so on.
func address(n provision.Network, name string) netip.Addr {
	raw := n.CIDR.Addr().As4()
	raw[3] = 130 + name[0] - 'a'
	return netip.AddrFrom4(raw)
}

// up makes a network and the named domains run on it.
func (b *bench) up(number int, names ...string) []provision.Domain {
	n := b.network(number)
	require.NoError(b, b.hv.EnsureNetwork(b.ctx, n))
	var domains []provision.Domain
	for _, name := range names {
		d := b.domain(name, n)
		require.NoError(b, b.hv.EnsureDomain(b.ctx, d))
		domains = append(domains, d)
	}
	return domains
}

func namesOf(domains []provision.Domain) []string {
	var names []string
	for _, d := range domains {
		names = append(names, d.Name)
	}
	return names
}

func (b *bench) state(name string, want provision.State) {
	b.Helper()
	got, err := b.hv.DomainState(b.ctx, name)
	require.NoError(b, err)
	require.Equal(b, want, got, "state of %s", name)
}

// foreign checks that an object was refused as another's, and what is said.
func (b *bench) foreign(err error, kind provision.Kind, name, holder string) {
	b.Helper()
	require.ErrorIs(b, err, provision.ErrForeign, "%s", kind)
	var foreign *provision.ForeignError
	require.ErrorAs(b, err, &foreign, "%s", kind)
	require.Equal(b, provision.ForeignError{Kind: kind, Name: name, Holder: holder}, *foreign)
	require.Contains(b, foreign.Error(), fmt.Sprintf("%s %q", kind, name))
	if holder == "" {
		require.Contains(b, foreign.Hint(), "rename or remove it yourself")
		return
	}
	require.Contains(b, foreign.Error(), holder)
	require.Contains(b, foreign.Hint(), "--name")
}

// objects of an owner, as "kind name".
func (b *bench) objects(owner string) []string {
	b.Helper()
	list, err := b.hv.Objects(b.ctx, owner)
	require.NoError(b, err)
	var words []string
	for _, o := range list {
		require.Equal(b, owner, o.Owner)
		words = append(words, string(o.Kind)+" "+o.Name)
	}
	return words
}
