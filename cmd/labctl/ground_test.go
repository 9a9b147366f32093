package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/restore"
)

// ground is somewhere real to run labs on: two nodes, a and b, and labctl with
// a state folder of its own.
type ground struct {
	pair   string
	state  string
	labctl string
	env    []string
	// enter is what starts a command where the nodes can be reached; empty if that
	// is here.
	enter []string
	// on is what tells labctl which nodes.
	on []string
	// guest is a command that runs a script on a node, as root.
	guest func(t *testing.T, node, script string) *exec.Cmd
}

func newGround(t *testing.T, pair string) *ground {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	// testscript.Main goes by the program's name.
	labctl := filepath.Join(t.TempDir(), "labctl")
	require.NoError(t, os.Symlink(self, labctl))
	state := filepath.Join(t.TempDir(), "state")
	return &ground{
		pair: pair, state: state, labctl: labctl,
		env: append(os.Environ(), "LABCTL_STATE="+state, "LIBVIRT_DEFAULT_URI="),
	}
}

// smallPair brings up two real small guests under the private hypervisor.
func smallPair(t *testing.T) *ground {
	t.Helper()
	if testing.Short() {
		t.Skip("boots real guests: run without -short, as root, as `make test` does")
	}
	cache := smallImage(t)
	g := newGround(t, "small")
	g.env = append(g.env, "LABCTL_CACHE="+cache)
	t.Cleanup(func() { stopAll(t, g.state) })
	g.guest = func(t *testing.T, node, script string) *exec.Cmd {
		cmd := g.command(t, "ssh", node, "--", "sudo", "bash", "-s")
		cmd.Stdin = strings.NewReader(script)
		return cmd
	}
	g.exits(t, exitOK, "up", "small", "--hypervisor", "private")
	return g
}

// sshdConfig is of a server that both nodes of hostsGround are.
const sshdConfig = `ListenAddress 127.0.0.1
ListenAddress 127.0.0.2
HostKey /run/host
AuthorizedKeysFile /run/login.pub
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
UsePAM no
StrictModes no
LogLevel ERROR
PidFile none
`

// hostsGround makes hosts that exist already and that are as fast as this
// machine: one sshd in a network, a process table, and folders that the labs
// may write to, known by two addresses. There is no checkpoint to go back to.
func hostsGround(t *testing.T) *ground {
	t.Helper()
	if testing.Short() {
		t.Skip("makes namespaces: run without -short, as root, as `make test` does")
	}
	g := newGround(t, "bench")
	keys := t.TempDir()
	for _, name := range []string{"host", "login"} {
		out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", filepath.Join(keys, name)).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.NoError(t, os.WriteFile(filepath.Join(keys, "sshd_config"), []byte(sshdConfig), 0o600))
	// Root's account must not be locked, which on this machine it may be.
	require.NoError(t, os.WriteFile(filepath.Join(keys, "shadow"), []byte("root:*:20000:0:99999:7:::\n"), 0o600))
	sshd := exec.CommandContext(t.Context(), "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-ec", `
		ip link set lo up
		mount -t tmpfs tmpfs /run
		cp "$1"/* /run; mkdir /run/sshd
		mount --bind /run/shadow /etc/shadow
		mount -t tmpfs -o size=64m tmpfs /tmp
		# What root's shell does when it starts is not part of the test.
		mount -t tmpfs tmpfs /root
		exec /usr/sbin/sshd -D -e -f /run/sshd_config`, "bash", keys)
	var log bytes.Buffer
	sshd.Stdout, sshd.Stderr = &log, &log
	require.NoError(t, sshd.Start())
	t.Cleanup(func() {
		_ = sshd.Process.Kill() // its answer to being killed is of no interest
		_ = sshd.Wait()
		if t.Failed() {
			t.Logf("sshd said:\n%s", &log)
		}
	})
	unshared := fmt.Sprint(sshd.Process.Pid)
	g.enter = []string{"nsenter", "--net=/proc/" + unshared + "/ns/net"}
	g.guest = func(t *testing.T, _, script string) *exec.Cmd {
		// unshare itself stays outside of the process table that it makes.
		cmd := exec.CommandContext(t.Context(), "nsenter", "--target", unshared, "--net", "--mount", "--pid=/proc/"+unshared+"/ns/pid_for_children", "bash", "-s")
		cmd.Stdin = strings.NewReader(script)
		return cmd
	}
	hostKey, err := os.ReadFile(filepath.Join(keys, "host.pub"))
	require.NoError(t, err)
	var hosts strings.Builder
	hosts.WriteString("apiVersion: labctl/v1\nkind: Topology\nname: bench\nhosts: true\nnodes:\n")
	for i, name := range []string{"a", "b"} {
		fmt.Fprintf(&hosts, "  - {name: %s, address: 127.0.0.%d, port: 22, user: root, keyFile: %s, hostKey: %q}\n",
			name, i+1, filepath.Join(keys, "login"), strings.TrimSpace(string(hostKey)))
	}
	file := filepath.Join(t.TempDir(), "hosts.yaml")
	require.NoError(t, os.WriteFile(file, []byte(hosts.String()), 0o600))
	g.on = []string{"--topology", file}
	require.Eventually(t, func() bool {
		probe := exec.CommandContext(t.Context(), g.enter[0], append(g.enter[1:], "bash", "-c", "exec 3<>/dev/tcp/127.0.0.2/22")...)
		return probe.Run() == nil
	}, 20*time.Second, 20*time.Millisecond, "sshd does not answer")
	return g
}

// command is a labctl that is not started yet.
func (g *ground) command(t *testing.T, args ...string) *exec.Cmd {
	words := append(append(append([]string{}, g.enter...), g.labctl), args...)
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Env = g.env
	return cmd
}

// here is a command that runs or pays a lab on this ground.
func (g *ground) here(t *testing.T, args ...string) *exec.Cmd {
	return g.command(t, append(args, g.on...)...)
}

// exits runs labctl, demands its exit code, and returns all that it printed.
func (g *ground) exits(t *testing.T, code int, args ...string) string {
	t.Helper()
	return exitsWith(t, g.command(t, args...), code)
}

// runs is exits of a command on this ground.
func (g *ground) runs(t *testing.T, code int, args ...string) string {
	t.Helper()
	return exitsWith(t, g.here(t, args...), code)
}

func exitsWith(t *testing.T, cmd *exec.Cmd, code int) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	require.Equal(t, code, cmd.ProcessState.ExitCode(), "%v:\n%s", cmd.Args, out)
	return string(out)
}

func (g *ground) start(t *testing.T, args ...string) *session {
	t.Helper()
	return begin(t, g.here(t, args...))
}

// wait waits for the end and returns the exit code, -1 for one that was killed.
func (s *session) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-s.ended:
	case <-time.After(5 * time.Minute):
		_ = s.Process.Kill()
		<-s.ended
		require.Fail(t, "labctl does not end", "%v:\n%s", s.Args, &s.said)
	}
	return s.ProcessState.ExitCode()
}

// send sends a signal to one that may have ended.
func (s *session) send(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := s.Process.Signal(sig); !errors.Is(err, os.ErrProcessDone) {
		require.NoError(t, err)
	}
}

// when waits until done says so, or labctl has ended.
func (s *session) when(t *testing.T, done func() bool) {
	t.Helper()
	ticks := time.NewTicker(2 * time.Millisecond)
	defer ticks.Stop()
	for !done() {
		select {
		case <-s.ended:
			return
		case <-t.Context().Done():
			return
		case <-ticks.C:
		}
	}
}

// latest is the journal of a lab's latest run; empty if there is none.
func (g *ground) latest(lab string) string {
	path, err := filepath.EvalSymlinks(filepath.Join(g.state, "runs", lab, "latest"))
	if err != nil {
		return ""
	}
	return filepath.Join(path, journal.JournalFile)
}

// events counts what is in a journal.
func events(path string) int {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return bytes.Count(content, []byte("\n"))
}

// result is what a lab's latest run came to.
func (g *ground) result(t *testing.T, lab string) journal.Result {
	t.Helper()
	all, err := journal.Read(g.latest(lab))
	require.NoError(t, err)
	return journal.Fold(all)
}

// owed is what this ground owes; nil if nothing.
func (g *ground) owed(t *testing.T) *restore.Owed {
	t.Helper()
	owed, err := restore.ReadOwed(filepath.Join(g.state, "pairs", g.pair))
	require.NoError(t, err)
	return owed
}

// look runs a script on a node as root, and returns what it printed.
func (g *ground) look(t *testing.T, node, script string) string {
	t.Helper()
	cmd := g.guest(t, node, script)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s", script, out)
	return string(out)
}

// remains says what of the labs below is left on a node.
const remains = `
cat /proc/sys/net/ipv4/ip_forward
ls -A /tmp
for f in /proc/[0-9]*/cmdline; do { tr '\0' ' ' <$f; } 2>/dev/null | grep -E '^sleep (777|778)' || true; done`

// untouched fails the test unless nothing is owed and nothing is left.
func (g *ground) untouched(t *testing.T) {
	t.Helper()
	require.Nil(t, g.owed(t))
	for _, node := range []string{"a", "b"} {
		require.Equal(t, "0\n", g.look(t, node, remains), "what is left on %s", node)
	}
}

// labFile writes a lab into a folder of the test's own and returns its path.
func labFile(t *testing.T, name, body string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".yaml")
	head := fmt.Sprintf("apiVersion: labctl/v1\nkind: Lab\nname: %s\ntitle: A lab of a test\nwriteup: none\ntopology: small\n", name)
	require.NoError(t, os.WriteFile(file, []byte(head+strings.TrimLeft(body, "\n")), 0o600))
	return file
}
