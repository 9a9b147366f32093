// Package privatetest is the private hypervisor as tests use it: started for a
// test and gone after it, and dressed up as the other two kinds of machine that
// labctl meets, one with a libvirt of its own and one that is reached by SSH.
//
// Everything here needs root and the packages that `make deps` installs; a
// machine without them fails the test, and `go test -short` passes it over.
package privatetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/provision/private"
)

// stopLimit is how long the end of a hypervisor may take.
const stopLimit = 30 * time.Second

// Start starts a private hypervisor for the test and ends it, guests included,
// after the test.
func Start(t testing.TB, opts private.Options) *private.Daemon {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a real libvirtd: run without -short, as root, as `make test` does")
	}
	problems := private.Preflight()
	require.Empty(t, problems, "a private hypervisor does not start here")
	dir := filepath.Join(t.TempDir(), "hypervisor")
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
		defer cancel()
		if t.Failed() {
			logTail(t, filepath.Join(dir, "log", "libvirtd.log"))
		}
		require.NoError(t, private.Stop(ctx, dir))
	})
	d, err := private.Ensure(t.Context(), dir, opts)
	require.NoError(t, err)
	return d
}

// logTail shows the last 4 KiB of a log.
func logTail(t testing.TB, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Log(err)
		return
	}
	t.Logf("%s ends:\n%s", path, text[max(0, len(text)-4096):])
}

// System is, to what runs inside it, a machine with a libvirt of its own: a
// libvirtd behind the default sockets, a /run and a network that nobody outside
// sees. The files are the real machine's otherwise.
type System struct {
	*private.Daemon
	t testing.TB
}

// NewSystem starts one for the test.
func NewSystem(t testing.TB) *System {
	t.Helper()
	return &System{Daemon: Start(t, private.Options{}), t: t}
}

// Command prepares a command on that machine. It starts in /, inherits the
// test's environment and is killed when the test ends.
func (s *System) Command(argv ...string) *exec.Cmd {
	return s.Exec(s.t.Context(), argv...)
}

// Run runs a command on that machine, fails the test if it fails, and returns
// what it printed.
func (s *System) Run(argv ...string) string {
	s.t.Helper()
	out, err := s.Command(argv...).CombinedOutput()
	require.NoError(s.t, err, "%v printed: %s", argv, out)
	return string(out)
}

// Modular gives the sockets the names that they have on a machine with
// libvirt's modular daemons: virtqemud-sock is there, libvirt-sock is not. What
// answers is still the one daemon, as virtqemud would by asking the others.
func (s *System) Modular() {
	s.t.Helper()
	for _, suffix := range []string{"sock", "sock-ro"} {
		run := filepath.Join(s.Dir, "run")
		err := os.Rename(filepath.Join(run, "libvirt-"+suffix), filepath.Join(run, "virtqemud-"+suffix))
		require.NoError(s.t, err)
	}
}
