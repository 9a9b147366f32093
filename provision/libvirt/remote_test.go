package libvirt_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/provision"
	"labctl/provision/hypervisortest"
	"labctl/provision/libvirt"
	"labctl/provision/private"
	"labctl/provision/private/privatetest"
)

// sshURI is the way to a system by SSH, with its key and its pinned host key.
func sshURI(s privatetest.SSHServer) string {
	q := url.Values{"keyfile": {s.Identity}, "known_hosts": {s.KnownHosts}}
	return s.URI() + "?" + q.Encode()
}

// TestConformanceBySSH is another machine: no file of ours is there, so all is
// uploaded, and guests are reached through the SSH host.
func TestConformanceBySSH(t *testing.T) {
	t.Parallel()
	image := smallImage(t)
	system := privatetest.NewSystem(t)
	server := system.SSH()
	h, err := libvirt.Open(t.Context(), libvirt.Options{URI: sshURI(server), DialHost: system.Dial, PoolRoot: pools})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	facts, err := h.Facts(t.Context())
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(facts.URI, server.URI()), facts.URI)
	env := privateEnv(system.Daemon, h)
	env.Image = image
	env.Only = []string{"Facts", "Volume", "Guests"} // what the way makes a difference to
	hypervisortest.Run(t, env)
}

// privateEnv is what the suite needs of a private hypervisor.
func privateEnv(d *private.Daemon, h provision.Hypervisor) hypervisortest.Env {
	u := user{uri: "qemu+unix:///system?socket=" + d.Socket}
	return hypervisortest.Env{
		Hypervisor:  h,
		Lacks:       map[hypervisortest.Ability]string{},
		Foreign:     u.foreign,
		Pause:       u.pause,
		Stop:        u.stop,
		StopNetwork: u.stopNetwork,
		StopPool:    u.stopPool,
		Lose:        func(t *testing.T, p string) { require.NoError(t, os.Remove(d.Local(p))) },
		Cut:         func(t *testing.T, p string, n int64) { require.NoError(t, os.Truncate(d.Local(p), n)) },
		Content: func(t *testing.T, p string) []byte {
			content, err := os.ReadFile(d.Local(p))
			require.NoError(t, err)
			return content
		},
		Limit: 2 * time.Minute,
	}
}

func TestSSHTrustsOnlyPinnedKeys(t *testing.T) {
	t.Parallel()
	system := privatetest.NewSystem(t)
	server := system.SSH()
	dir := t.TempDir()
	write := func(name, content string) string {
		p := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(p, []byte(content), 0o600))
		return p
	}
	open := func(s privatetest.SSHServer) error {
		h, err := libvirt.Open(t.Context(), libvirt.Options{URI: sshURI(s), DialHost: system.Dial, Timeout: 10 * time.Second})
		if err == nil {
			require.NoError(t, h.Close())
		}
		return err
	}
	require.NoError(t, open(server))

	unknown := server
	unknown.KnownHosts = write("unknown", "")
	err := open(unknown)
	require.ErrorContains(t, err, "known_hosts")
	requireHint(t, err, "ssh -p 2222 127.0.0.1")

	other := strings.Fields(readFile(t, server.Identity+".pub"))
	changed := server
	changed.KnownHosts = write("changed", "[127.0.0.1]:2222 "+other[0]+" "+other[1]+"\n")
	err = open(changed)
	require.ErrorContains(t, err, "key")
	requireHint(t, err, "ssh-keygen -R")

	stranger := server
	stranger.Identity = filepath.Join(filepath.Dir(server.Identity), "host")
	err = open(stranger)
	require.ErrorContains(t, err, "logging in to root@127.0.0.1:2222")
	requireHint(t, err, "keyfile")

	missing := server
	missing.Identity = filepath.Join(dir, "none")
	require.ErrorIs(t, open(missing), os.ErrNotExist)
}

func readFile(t *testing.T, p string) string {
	t.Helper()
	content, err := os.ReadFile(p)
	require.NoError(t, err)
	return string(content)
}

// TestModularSockets: the QEMU daemon's own socket is found where there is no
// other, by SSH too.
func TestModularSockets(t *testing.T) {
	t.Parallel()
	system := privatetest.NewSystem(t)
	server := system.SSH()
	system.Modular()
	h, err := libvirt.Open(t.Context(), libvirt.Options{URI: sshURI(server), DialHost: system.Dial})
	require.NoError(t, err)
	require.NoError(t, h.Close())

	system.Run("rm", "/run/libvirt/virtqemud-sock")
	_, err = libvirt.Open(t.Context(), libvirt.Options{URI: sshURI(server), DialHost: system.Dial})
	require.ErrorContains(t, err, "virtqemud-sock")
	requireHint(t, err, "AllowStreamLocalForwarding")
}
