package ssh_test

import (
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/remote/ssh"
)

func TestKeysAreOpenSSHs(t *testing.T) {
	private, public, err := ssh.NewKey("someone@pair")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "keys", "id")
	require.NoError(t, ssh.WriteKey(path, private))
	out, err := exec.Command("ssh-keygen", "-y", "-f", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, public, strings.TrimSpace(string(out)))
	out, err = exec.Command("ssh-keygen", "-l", "-f", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	fingerprint, err := ssh.Fingerprint(public)
	require.NoError(t, err)
	assert.Equal(t, "256 "+fingerprint+" someone@pair (ED25519)\n", string(out))
	again, err := ssh.PublicKey(private, "someone@pair")
	require.NoError(t, err)
	assert.Equal(t, public, again)
	_, other, _ := ssh.NewKey("someone@pair")
	assert.NotEqual(t, public, other)
}

func TestKeyFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	path := filepath.Join(dir, "id")
	require.NoError(t, ssh.WriteKey(path, []byte("one")))
	mode := func(p string) fs.FileMode {
		info, err := os.Stat(p)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	assert.Equal(t, fs.FileMode(0o600), mode(path))
	assert.Equal(t, fs.FileMode(0o700), mode(dir))
	require.ErrorIs(t, ssh.WriteKey(path, []byte("two")), fs.ErrExist, "a key is not replaced")
	got, err := ssh.ReadKey(path)
	require.NoError(t, err)
	assert.Equal(t, "one", string(got))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1)

	refused := func(err error, p, hint string) {
		t.Helper()
		var loose *ssh.ModeError
		require.ErrorAs(t, err, &loose)
		assert.Equal(t, p, loose.Path)
		assert.Contains(t, loose.Hint(), hint)
	}
	for _, loose := range []fs.FileMode{0o640, 0o604, 0o620, 0o644} {
		require.NoError(t, os.Chmod(path, loose))
		_, err = ssh.ReadKey(path)
		refused(err, path, "chmod 0600 '"+path+"'")
		_, err = ssh.ReadUserKey(path)
		refused(err, path, "chmod 0600")
	}
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, os.Chmod(dir, 0o750))
	_, err = ssh.ReadKey(path)
	refused(err, dir, "chmod 0700 '"+dir+"'")
	refused(ssh.WriteKey(filepath.Join(dir, "other"), nil), dir, "chmod 0700")
	_, err = ssh.ReadUserKey(path)
	require.NoError(t, err, "a user's own folder is the user's business")

	_, err = ssh.ReadUserKey(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestStanza(t *testing.T) {
	s := ssh.Stanza{
		Host: "worker", Address: netip.MustParseAddrPort("10.10.10.131:22"), User: "zain",
		KeyFile: "/state/my pairs/100%/id", KnownHosts: "/state/known_hosts", Proxy: "labctl ssh --stdio worker",
	}
	assert.Equal(t, `Host worker
  HostName 10.10.10.131
  Port 22
  User zain
  IdentityFile "/state/my pairs/100%%/id"
  IdentitiesOnly yes
  HostKeyAlias worker
  UserKnownHostsFile "/state/known_hosts"
  GlobalKnownHostsFile none
  StrictHostKeyChecking yes
  UpdateHostKeys no
  ProxyCommand labctl ssh --stdio worker
`, s.String())
}

// OpenSSH's own client reads what is written, gets in, and refuses another host.
func TestStanzaWithOpenSSHsClient(t *testing.T) {
	s := startServer(t)
	dir := filepath.Join(t.TempDir(), "with a space and 100%")
	key := filepath.Join(dir, "id")
	require.NoError(t, ssh.WriteKey(key, s.target.Key))
	_, other, err := ssh.NewKey("")
	require.NoError(t, err)
	client := func(hostKey string) (string, error) {
		known, err := ssh.KnownHost("node", hostKey)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(dir+"/known_hosts", []byte(known+"\n"), 0o600))
		stanza := ssh.Stanza{Host: "node", Address: s.target.Address, User: "tester", KeyFile: key, KnownHosts: dir + "/known_hosts"}
		require.NoError(t, os.WriteFile(dir+"/config", []byte(stanza.String()), 0o600))
		out, err := exec.Command("ssh", "-F", dir+"/config", "-o", "BatchMode=yes", "node", "whoami").CombinedOutput()
		return string(out), err
	}
	out, err := client(s.target.HostKey)
	require.NoError(t, err, "%s", out)
	assert.Equal(t, "tester\n", out)
	out, err = client(other)
	require.Error(t, err)
	assert.Contains(t, out, "REMOTE HOST IDENTIFICATION HAS CHANGED")
}

func TestKnownHostsAddress(t *testing.T) {
	assert.Equal(t, "10.10.10.131", ssh.Address(netip.MustParseAddrPort("10.10.10.131:22")))
	assert.Equal(t, "[10.10.10.131]:2222", ssh.Address(netip.MustParseAddrPort("10.10.10.131:2222")))
	assert.Equal(t, "[::1]:2222", ssh.Address(netip.MustParseAddrPort("[::1]:2222")))
}
