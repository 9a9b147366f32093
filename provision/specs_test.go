package provision

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/topology"
)

func pairCluster(t *testing.T) *Cluster {
	t.Helper()
	top, err := topology.Embedded("pair")
	require.NoError(t, err)
	return &Cluster{
		Name: "pair", Dir: t.TempDir(), Topology: top, Accelerator: TCG, HypervisorName: "memory",
		Image: Image{ID: "0123456789abcdef", Disk: "/images/disk.qcow2", Kernel: "/images/vmlinuz", Initrd: "/images/initrd.img"},
	}
}

func TestSpecsAreTheSameEveryTime(t *testing.T) {
	c := pairCluster(t)
	assert.Equal(t, c.Specs(), c.Specs())
	other := pairCluster(t)
	other.Name = "second"
	for i, n := range c.Specs().Nodes {
		m := other.Specs().Nodes[i]
		assert.NotEqual(t, n.Domain.UUID, m.Domain.UUID, "two pairs are two sets of machines")
		assert.NotEqual(t, n.Domain.MAC, m.Domain.MAC)
	}
	assert.NotEqual(t, c.Specs().Network.Bridge, other.Specs().Network.Bridge)
}

func TestBridgeNameFitsTheKernel(t *testing.T) {
	for _, pair := range []string{"pair", strings.Repeat("x", 20), "p"} {
		assert.LessOrEqual(t, len(bridgeName(pair)), 15, pair)
	}
}

func TestOptionalNodesAreNotMade(t *testing.T) {
	c := pairCluster(t)
	before := len(c.Specs().Nodes)
	extra := c.Topology.Nodes[1]
	extra.Name, extra.Optional = "spare", true // a worker, as its neighbour is
	extra.Address = extra.Address.Next()
	c.Topology.Nodes = append([]topology.Node{extra}, append(c.Topology.Nodes, extra)...)
	assert.Len(t, c.Specs().Nodes, before)
	for _, on := range []string{"all", "worker", "spare"} {
		assert.NotContains(t, c.NodeNames(on), "spare", "on: %s", on)
	}
	vars := c.vars(Record{})
	assert.Equal(t, "worker", vars["WORKER_NAME"])
	assert.Equal(t, "10.10.10.131", vars["WORKER"])
}

func TestLoginIsTheControlPlanes(t *testing.T) {
	c := pairCluster(t)
	c.Topology.Nodes[0], c.Topology.Nodes[1] = c.Topology.Nodes[1], c.Topology.Nodes[0]
	c.Topology.Nodes[1].User = "root"
	assert.Equal(t, "root", c.vars(Record{})["LOGIN"])
}

func TestEmulatedKernelTrustsTheTSC(t *testing.T) {
	assert.Contains(t, KernelCmdline(TCG, 0), "tsc=reliable")
	assert.Contains(t, KernelCmdline(TCG, 0), "no_timer_check")
	assert.NotContains(t, KernelCmdline(KVM, 2596120), "tsc=")
}

func TestImageFilesAreNamedByTheImage(t *testing.T) {
	c := pairCluster(t)
	old := c.Specs()
	c.Image.ID = "fedcba9876543210"
	assert.NotEqual(t, old.Base.Name, c.Specs().Base.Name, "a new image never finds an old one's content")
}

func TestSeed(t *testing.T) {
	c := pairCluster(t)
	k, err := c.ensureKeys()
	require.NoError(t, err)
	again, err := c.ensureKeys()
	require.NoError(t, err)
	assert.Equal(t, k, again, "keys live as long as the pair")

	node := c.Topology.Nodes[0]
	seed, err := c.seed(node, k)
	require.NoError(t, err)
	same, err := c.seed(node, k)
	require.NoError(t, err)
	assert.Equal(t, seed, same)
	assert.Zero(t, len(seed)%512, "a disk is made of sectors")

	files := map[string]string{}
	modes := map[string]int64{}
	for r := tar.NewReader(bytes.NewReader(seed)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		files[h.Name], modes[h.Name] = string(content), h.Mode
	}
	assert.Equal(t, node.Name+"\n", files["etc/hostname"])
	assert.Equal(t, int64(0o600), modes["etc/ssh/ssh_host_ed25519_key"])
	assert.Contains(t, files["etc/systemd/network/10-labctl.network"], "Address=10.10.10.130/24")
	assert.Contains(t, files["etc/systemd/network/10-labctl.network"], "MACAddress="+topology.MAC("pair", node.Name))
	assert.Contains(t, files["home/zain/.ssh/authorized_keys"], k.Login.Public)
	assert.NotContains(t, string(seed), string(k.Login.Private), "labctl's own key stays here")
	for _, n := range c.Topology.Nodes {
		assert.Contains(t, files["etc/ssh/ssh_known_hosts"], k.Host[n.Name].Public)
		if n.Name != node.Name {
			assert.NotContains(t, string(seed), string(k.Host[n.Name].Private), "a node knows its own host key only")
		}
	}
}

func TestNodesFitTheImage(t *testing.T) {
	c := pairCluster(t)
	require.NoError(t, c.checkSizes())
	c.Image.DiskBytes = int64(c.Topology.Nodes[0].DiskGiB)<<30 + 1
	require.ErrorContains(t, c.checkSizes(), `sizing node "cp": its diskGiB is 12, the image needs 13`)
	c.Image.DiskBytes, c.Image.MemoryMiB = 0, 2000
	require.ErrorContains(t, c.checkSizes(), `sizing node "worker": its memoryMiB`)
	c.Image.MemoryMiB = 1024
	client, ok := c.Topology.Node("client")
	require.True(t, ok)
	require.Equal(t, topology.Client, client.Role)
	client.MemoryMiB = 255
	c.Topology.Nodes[len(c.Topology.Nodes)-1] = client
	require.ErrorContains(t, c.checkSizes(), `sizing node "client": its memoryMiB is 255, the image needs 256`)
}

func TestUnionKeepsTheOrderOfRemoval(t *testing.T) {
	domain := Object{Kind: KindDomain, Name: "d"}
	volume := Object{Kind: KindVolume, Name: "v"}
	network := Object{Kind: KindNetwork, Name: "n"}
	assert.Equal(t, []Object{domain, volume, network}, union([]Object{network}, []Object{volume, domain, network}))
}

func TestLastLines(t *testing.T) {
	assert.Equal(t, "b\nc", lastLines([]byte("a\r\nb\r\nc\r\n"), 2))
	assert.Equal(t, "a", lastLines([]byte("a"), 40))
}

func TestTokenIsKubeadms(t *testing.T) {
	token, err := newToken()
	require.NoError(t, err)
	assert.Regexp(t, `\A[a-z0-9]{6}\.[a-z0-9]{16}\z`, token)
}
