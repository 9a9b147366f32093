package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/provision"
	"labctl/provision/private/privatetest"
	"labctl/topology"
)

// host runs labctl on a machine with a libvirt of its own.
type host struct {
	*privatetest.System
	t      *testing.T
	labctl string
	env    []string
}

func newHost(t *testing.T) *host {
	t.Helper()
	if testing.Short() {
		t.Skip("boots real guests: run without -short, as root, as `make test` does")
	}
	cache := smallImage(t)
	self, err := os.Executable()
	require.NoError(t, err)
	// testscript.Main goes by the program's name.
	labctl := filepath.Join(t.TempDir(), "labctl")
	require.NoError(t, os.Symlink(self, labctl))
	h := &host{System: privatetest.NewSystem(t), t: t, labctl: labctl}
	h.env = append(os.Environ(), "LABCTL_STATE="+filepath.Join(t.TempDir(), "state"), "LABCTL_CACHE="+cache, "LIBVIRT_DEFAULT_URI=")
	return h
}

// run runs labctl and returns all that it printed.
func (h *host) run(args ...string) string {
	h.t.Helper()
	cmd := h.Command(append([]string{h.labctl}, args...)...)
	cmd.Env = h.env
	out, err := cmd.CombinedOutput()
	require.NoError(h.t, err, "labctl %v:\n%s", args, out)
	return string(out)
}

// life is up, reset and down of two small guests on a hypervisor that others
// use too, and nothing left there.
func (h *host) life(hypervisor string) {
	t := h.t
	out := h.run("up", "small", "--hypervisor", hypervisor)
	assert.Contains(t, out, `pair "small" is up`)
	assert.Contains(t, h.run("ssh", "b", "--", "hostname"), "b")
	assert.Contains(t, h.run("reset"), "back at checkpoint")
	assert.Contains(t, h.run("up", "small"), "nothing to do")
	h.runOnHosts()
	h.run("down", "small")
	for _, list := range [][]string{
		{"list", "--all", "--name"}, {"net-list", "--all", "--name"}, {"pool-list", "--all", "--name"},
	} {
		left, err := h.Command(append([]string{"virsh", "-c", "qemu:///system"}, list...)...).Output()
		require.NoError(t, err)
		assert.Equal(t, "\n", string(left), list)
	}
	assert.Error(t, h.Command("ls", "-d", "/var/lib/libvirt/images/labctl").Run(), "the pool's folder is gone, and the one it was in")
}

// runOnHosts runs a lab on nodes as on hosts that exist already: reached
// directly, by their own key files and pinned host keys.
func (h *host) runOnHosts() {
	t := h.t
	var state string
	for _, e := range h.env {
		if dir, ok := strings.CutPrefix(e, "LABCTL_STATE="); ok {
			state = dir
		}
	}
	pair := filepath.Join(state, "pairs", "small")
	var nodes strings.Builder
	for name, address := range map[string]string{"a": "10.10.10.130", "b": "10.10.10.131"} {
		key, err := provision.HostKey(pair, topology.Node{Name: name})
		require.NoError(t, err)
		fmt.Fprintf(&nodes, "  - {name: %s, address: %s, port: 22, user: zain, keyFile: %s, hostKey: %s}\n",
			name, address, provision.LoginKeyFile(pair), key)
	}
	hosts := filepath.Join(t.TempDir(), "hosts.yaml")
	require.NoError(t, os.WriteFile(hosts, []byte("apiVersion: labctl/v1\nkind: Topology\nname: bench\nhosts: true\nnodes:\n"+nodes.String()), 0o600))
	lab := filepath.Join(t.TempDir(), "lab.yaml")
	require.NoError(t, os.WriteFile(lab, []byte(`apiVersion: labctl/v1
kind: Lab
name: names
title: Both hosts know their names
writeup: none
topology: small
steps:
  - {id: name, title: Ask, on: all, run: hostname, checks: [{stdout: {matches: '^[ab]$'}}]}
teardown:
  - {id: nothing, title: Nothing to do, on: a, run: "true"}
`), 0o600))
	assert.Contains(t, h.run("run", lab, "--topology", hosts), "lab names: pass")

	refused := h.Command(h.labctl, "up", hosts)
	refused.Env = h.env
	out, err := refused.CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), "its hosts exist already")
}

// "auto" finds the system's own libvirt behind its default socket.
func TestSystemLibvirt(t *testing.T) {
	h := newHost(t)
	h.life("auto")
}

// The hypervisor is behind an sshd; its nodes are reached through that host.
func TestLibvirtBySSH(t *testing.T) {
	h := newHost(t)
	server := h.SSH()
	query := url.Values{"keyfile": {server.Identity}, "known_hosts": {server.KnownHosts}}
	h.life(server.URI() + "?" + query.Encode())
}
