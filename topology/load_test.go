package topology

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/strictyaml"
	"labctl/internal/strictyaml/yamltest"
)

func TestBadFiles(t *testing.T) {
	yamltest.BadFiles(t, func(name string, data []byte) error {
		_, err := Parse(name, data)
		return err
	})
}

func TestEmbedded(t *testing.T) {
	require.Equal(t, []string{"pair", "small"}, Names())
	for _, name := range Names() {
		top, err := Embedded(name)
		require.NoError(t, err)
		assert.Equal(t, name, top.Name)
		assert.Len(t, top.Select("all"), 2)
	}

	_, err := Embedded("pairs")
	var unknown *UnknownError
	require.ErrorAs(t, err, &unknown)
	assert.Contains(t, unknown.Hint(), `did you mean "pair"?`)
}

func TestPairIsWhatTheWriteUpsName(t *testing.T) {
	pair, err := Embedded("pair")
	require.NoError(t, err)
	cp, ok := pair.Node("cp")
	require.True(t, ok)
	assert.Equal(t, "10.10.10.130", cp.Address.String())
	assert.Equal(t, ControlPlane, cp.Role)
	assert.Equal(t, DefaultPort, cp.Port)
	worker := pair.Select("worker")
	require.Len(t, worker, 1)
	assert.Equal(t, "10.10.10.131", worker[0].Address.String())
	assert.Equal(t, 1500, pair.Network.MTU)
	assert.Len(t, pair.Select("all"), 2, "a client is not of the cluster")
	assert.Len(t, pair.Select("client"), 1)
}

const hostsFile = `apiVersion: labctl/v1
kind: Topology
name: lan
hosts: true
nodes:
  - name: a
    role: control-plane
    address: 192.0.2.7
    port: 2222
    user: root
    keyFile: keys/id
    hostKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0Jj1iyXFwFQ2XQhD6ZP5tQm8rJr3z9w5cR8q8bq3hM a comment
`

func TestHostsAndTheirKeyFiles(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	dir := t.TempDir()
	path := filepath.Join(dir, "lan.yaml")
	for written, want := range map[string]string{
		"keys/id":   filepath.Join(dir, "keys/id"),
		"~/.ssh/id": filepath.Join(home, ".ssh/id"),
		"/etc/id":   "/etc/id",
	} {
		text := strings.Replace(hostsFile, "keys/id", written, 1)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		top, err := Open(path)
		require.NoError(t, err)
		assert.True(t, top.Hosts)
		assert.Equal(t, want, top.Nodes[0].KeyFile)
		assert.Equal(t, 2222, top.Nodes[0].Port)
		assert.Zero(t, top.Network)
	}

	_, err := Open(filepath.Join(dir, "none.yaml"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestOptionalNodesAreNobody(t *testing.T) {
	top := Topology{Nodes: []Node{{Name: "a", Role: Worker}, {Name: "b", Role: Worker, Optional: true}}}
	for _, on := range []string{"all", "worker"} {
		assert.Equal(t, top.Nodes[:1], top.Select(on), on)
	}
	assert.Empty(t, top.Select("b"))
}

func TestErrorsAreStrict(t *testing.T) {
	_, err := Parse("x.yaml", []byte("apiVersion: labctl/v1\nkind: Topology\n"))
	var slips *strictyaml.Error
	require.ErrorAs(t, err, &slips)
	assert.Equal(t, "x.yaml", slips.Slips[0].Pos.File)
}
