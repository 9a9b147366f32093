package topology

import (
	"net"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/strictyaml/yamltest"
)

func TestFingerprint(t *testing.T) {
	base, err := Parse("base.yaml", []byte(`apiVersion: labctl/v1
kind: Topology
name: pair
provision: pair
image: pair
network:
  cidr: 10.10.10.0/24
  gateway: 10.10.10.1
  mtu: 1500
nodes:
  - name: cp
    role: control-plane
    address: 10.10.10.130
    vcpus: 2
    memoryMiB: 2600
    diskGiB: 10
    user: zain
  - name: worker
    role: worker
    address: 10.10.10.131
    vcpus: 1
    memoryMiB: 1800
    diskGiB: 10
    user: zain
`))
	require.NoError(t, err)

	t.Run("formatting and name do not matter", func(t *testing.T) {
		other, err := Parse("other.yaml", []byte(`
# the same machines, written in another way
kind: "Topology"
apiVersion: labctl/v1
nodes:
  - {user: zain, diskGiB: 10, memoryMiB: 2600, vcpus: 2, address: 10.10.10.130, role: control-plane, name: cp, port: 22}
  - {user: zain, diskGiB: 10, memoryMiB: 1800, vcpus: 1, address: 10.10.10.131, role: worker, name: worker}
network: {gateway: 10.10.10.1, cidr: 10.10.10.0/24}
image: pair
provision: pair
name: second
`))
		require.NoError(t, err)
		assert.Equal(t, base.Fingerprint(), other.Fingerprint())
	})

	t.Run("the value is kept over releases", func(t *testing.T) {
		yamltest.Golden(t, "testdata/pair.fingerprint", base.Fingerprint()+"\n")
	})

	seen := map[string]string{base.Fingerprint(): "base"}
	for name, change := range map[string]func(*Topology){
		"provision": func(t *Topology) { t.Provision = "nodes" },
		"image":     func(t *Topology) { t.Image = "small" },
		"hosts":     func(t *Topology) { t.Hosts = true },
		"mtu":       func(t *Topology) { t.Network.MTU = 9000 },
		"gateway":   func(t *Topology) { t.Network.Gateway = t.Nodes[0].Address },
		"order":     func(t *Topology) { t.Nodes[0], t.Nodes[1] = t.Nodes[1], t.Nodes[0] },
		"memory":    func(t *Topology) { t.Nodes[0].MemoryMiB++ },
		"user":      func(t *Topology) { t.Nodes[1].User = "root" },
		"optional":  func(t *Topology) { t.Nodes[1].Optional = true },
		"one less":  func(t *Topology) { t.Nodes = t.Nodes[:1] },
	} {
		top := base
		top.Nodes = append([]Node(nil), base.Nodes...)
		change(&top)
		fingerprint := top.Fingerprint()
		assert.Empty(t, seen[fingerprint], "%s changes nothing", name)
		seen[fingerprint] = name
	}
}

func TestMAC(t *testing.T) {
	mac, err := net.ParseMAC(MAC("pair", "cp"))
	require.NoError(t, err)
	assert.Equal(t, byte(2), mac[0]&3, "locally administered and unicast")
	assert.Equal(t, MAC("pair", "cp"), MAC("pair", "cp"))
	// The parts must not run into each other.
	assert.NotEqual(t, MAC("pair", "cp"), MAC("pairc", "p"))
	assert.NotEqual(t, MAC("pair", "cp"), MAC("pair", "worker"))
}

func TestUUID(t *testing.T) {
	id, err := uuid.Parse(UUID("pair", "domain", "cp"))
	require.NoError(t, err)
	assert.Equal(t, uuid.Version(5), id.Version())
	seen := map[string]bool{}
	for _, parts := range [][3]string{{"pair", "domain", "cp"}, {"pair", "network", "cp"}, {"pair2", "domain", "cp"}, {"pair", "domainc", "p"}} {
		id := UUID(parts[0], parts[1], parts[2])
		assert.False(t, seen[id])
		seen[id] = true
	}
}
