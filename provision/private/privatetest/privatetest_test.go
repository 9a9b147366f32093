package privatetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSystemHasALibvirtOfItsOwn(t *testing.T) {
	s := NewSystem(t)
	assert.Contains(t, s.Run("virsh", "-c", "qemu:///system", "version"), "QEMU")
	assert.Equal(t, "/run/libvirt/libvirt-sock\n", s.Run("ls", "/run/libvirt/libvirt-sock"))
}

func TestModularSystem(t *testing.T) {
	s := NewSystem(t)
	s.Modular()
	require.Error(t, s.Command("ls", "/run/libvirt/libvirt-sock").Run())
	out := s.Run("virsh", "-c", "qemu:///system?socket=/run/libvirt/virtqemud-sock", "net-list", "--all")
	assert.Contains(t, out, "Name")
}

func TestSystemBehindSSH(t *testing.T) {
	s := NewSystem(t)
	server := s.SSH()
	ssh := func(knownHosts string) (string, error) {
		out, err := s.Command("ssh", "-F", "none", "-i", server.Identity, "-p", "2222",
			"-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-o", "GlobalKnownHostsFile=/dev/null",
			"-o", "UserKnownHostsFile="+knownHosts, "-o", "StrictHostKeyChecking=yes",
			server.User+"@127.0.0.1", "virsh", "-c", "qemu:///system", "uri").CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	out, err := ssh(server.KnownHosts)
	require.NoError(t, err, out)
	assert.Equal(t, "qemu:///system", out)
	_, err = ssh("/dev/null")
	assert.Error(t, err, "the host key is not pinned")
	assert.Equal(t, "qemu+ssh://root@127.0.0.1:2222/system", server.URI())
}
