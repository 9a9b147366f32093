package privatetest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// SSHServer is a running sshd of a System, which listens on the loopback of the
// network namespace.
type SSHServer struct {
	// Address as seen inside: "127.0.0.1:2222".
	Address string
	// User who may log in, with Identity, the file of the private key.
	User, Identity string
	// HostKey is the server's public key as in an authorized_keys file; KnownHosts
	// is a file that pins it.
	HostKey, KnownHosts string
}

// URI of the machine's libvirt by way of this server, without parameters.
func (s SSHServer) URI() string {
	return fmt.Sprintf("qemu+ssh://%s@%s/system", s.User, s.Address)
}

const sshdConfig = `ListenAddress 127.0.0.1
Port 2222
HostKey %[1]s/host
AuthorizedKeysFile %[1]s/client.pub
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
UsePAM no
# The test's folder lies under /tmp, which anybody may write to.
StrictModes no
PidFile none
Subsystem sftp internal-sftp
`

// SSH starts the server for the rest of the test. Its keys are made for the
// test, and its host key is pinned from the file, never asked of the network.
func (s *System) SSH() SSHServer {
	t := s.t
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"host", "client"} {
		out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", filepath.Join(dir, name)).CombinedOutput()
		require.NoError(t, err, "ssh-keygen printed: %s", out)
	}
	hostKey, err := os.ReadFile(filepath.Join(dir, "host.pub"))
	require.NoError(t, err)
	server := SSHServer{
		Address:    "127.0.0.1:2222",
		User:       "root",
		Identity:   filepath.Join(dir, "client"),
		HostKey:    strings.TrimSpace(string(hostKey)),
		KnownHosts: filepath.Join(dir, "known_hosts"),
	}
	write(s, server.KnownHosts, "[127.0.0.1]:2222 "+server.HostKey+"\n")
	config := filepath.Join(dir, "sshd_config")
	write(s, config, fmt.Sprintf(sshdConfig, dir))

	// sshd wants its folder, and an account that is not locked: on this machine
	// only, root is not.
	s.Run("mkdir", "-p", "/run/sshd")
	shadow := filepath.Join(dir, "shadow")
	write(s, shadow, "root:*:20000:0:99999:7:::\n")
	s.Run("mount", "--bind", shadow, "/etc/shadow")

	sshd := s.Exec(context.WithoutCancel(t.Context()), "/usr/sbin/sshd", "-D", "-e", "-f", config)
	var log strings.Builder
	sshd.Stdout, sshd.Stderr = &log, &log
	require.NoError(t, sshd.Start())
	t.Cleanup(func() {
		// Its answer to being killed is of no interest.
		_ = sshd.Process.Kill()
		_ = sshd.Wait()
		if t.Failed() {
			t.Logf("sshd said:\n%s", &log)
		}
	})
	require.Eventually(t, func() bool { return s.greets(server.Address) }, 10*time.Second, 20*time.Millisecond, "sshd does not answer")
	return server
}

// greets tells whether an SSH server answers.
func (s *System) greets(address string) bool {
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Second)
	defer cancel()
	conn, err := s.Dial(ctx, "tcp", address)
	if err != nil {
		return false
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return false
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	return err == nil && strings.HasPrefix(line, "SSH-2.0-")
}

func write(s *System, path, content string) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(path, []byte(content), 0o600))
}
