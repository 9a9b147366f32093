package ssh_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
	"labctl/internal/remote/ssh"
)

// server is a real OpenSSH server on a loopback port. It lives in a mount and
// process namespace of its own, where /run is empty and the files under /etc
// that say who may log in and use sudo are ours: the host keeps its own, and
// nothing that a test started outlives it.
type server struct {
	target ssh.Target // as root
	dir    string
	log    *log
}

// The namespaces' init: it sets up what sshd and sudo look at. $1 is the folder.
const serverSetup = `set -e
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -m 755 /run/sshd
for f in passwd group shadow sudoers; do mount --bind "$1/etc/$f" "/etc/$f"; done
mount -t tmpfs -o mode=755 tmpfs /home
mkdir /home/root /home/tester /home/noisy
chown 4321:4321 /home/tester
echo 'echo noise; echo noise >&2' >/home/noisy/.bashrc
"$(command -v sshd)" -D -e -f "$1/sshd_config" &
wait $!`

func startServer(t *testing.T) *server {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a real sshd: run without -short, as root, as `make test` does")
	}
	require.Zero(t, os.Getuid(), "the server needs namespaces of its own: run as root, or with -short")
	s := &server{dir: t.TempDir(), log: &log{}}
	// The user that tests log in as must reach the keys.
	for d := s.dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		require.NoError(t, os.Chmod(d, 0o755))
	}
	private, public, err := ssh.NewKey("login")
	require.NoError(t, err)
	hostPrivate, hostPublic, err := ssh.NewKey("host")
	require.NoError(t, err)
	s.write(t, "authorized_keys", 0o644, public+"\n")
	s.write(t, "host_key", 0o600, string(hostPrivate))
	s.accounts(t)

	// Another program may take the port between the look and the start.
	for try := 0; ; try++ {
		s.target = ssh.Target{Name: "node", Address: freePort(t), User: "root", Key: private, HostKey: hostPublic}
		if s.listen(t) {
			return s
		}
		require.Less(t, try, 5, "sshd said: %s", s.log)
	}
}

// accounts writes the files under /etc: tester may use sudo, beggar may not,
// guest has no shell, and noisy's login files talk.
func (s *server) accounts(t *testing.T) {
	require.NoError(t, os.Mkdir(filepath.Join(s.dir, "etc"), 0o755))
	s.write(t, "etc/passwd", 0o644, `root:x:0:0::/home/root:/bin/bash
sshd:x:103:65534::/run/sshd:/bin/false
tester:x:4321:4321::/home/tester:/bin/bash
beggar:x:4322:4321::/home/tester:/bin/bash
guest:x:4323:4321::/home/tester:/bin/false
noisy:x:4324:4321::/home/noisy:/bin/bash
`)
	s.write(t, "etc/group", 0o644, "root:x:0:\ntester:x:4321:\n")
	s.write(t, "etc/shadow", 0o600, "root:*:19000::::::\ntester:*:19000::::::\nbeggar:*:19000::::::\nguest:*:19000::::::\nnoisy:*:19000::::::\n")
	s.write(t, "etc/sudoers", 0o440, "Defaults env_reset\nroot ALL=(ALL:ALL) ALL\ntester ALL=(ALL:ALL) NOPASSWD: ALL\n")
}

func (s *server) write(t *testing.T, name string, mode os.FileMode, content string) {
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, name), []byte(content), mode))
	require.NoError(t, os.Chmod(filepath.Join(s.dir, name), mode))
}

// listen starts sshd and says whether it has the port.
func (s *server) listen(t *testing.T) bool {
	s.write(t, "sshd_config", 0o644, fmt.Sprintf(`
ListenAddress %s
HostKey %s/host_key
AuthorizedKeysFile %s/authorized_keys
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
`, s.target.Address, s.dir, s.dir))
	cmd := exec.Command("unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child",
		"bash", "-c", serverSetup, "sshd", s.dir)
	cmd.Stdout, cmd.Stderr = s.log, s.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	for deadline := time.After(10 * time.Second); ; {
		if strings.Contains(s.log.String(), "Server listening on") {
			return true
		}
		select {
		case <-ended:
			return false
		case <-deadline:
			require.Fail(t, "sshd does not listen", "%s", s.log)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func freePort(t *testing.T) netip.AddrPort {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return netip.MustParseAddrPort(l.Addr().String())
}

// as returns the target with another login user.
func (s *server) as(user string) ssh.Target {
	target := s.target
	target.User = user
	return target
}

func dial(t *testing.T, target ssh.Target) *ssh.Conn {
	t.Helper()
	c, err := ssh.Dial(t.Context(), target, (&net.Dialer{}).DialContext)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func run(t *testing.T, c remote.Conn, cmd remote.Command) remote.Output {
	t.Helper()
	out, err := c.Run(context.WithoutCancel(t.Context()), cmd)
	require.NoError(t, err)
	return out
}

// log is what sshd says.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
