package private

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestCrashedDaemonComesBackBesideItsGuests(t *testing.T) {
	dir := stateDir(t, "h")
	d := ensure(t, dir)
	ns := namespace(t, d)
	virsh(t, d, "net-create", document(t, network))
	virsh(t, d, "create", document(t, fmt.Sprintf(guest, "g")))

	members, err := owned(dir)
	require.NoError(t, err)
	for _, p := range members {
		if p.name != "qemu-system-x86_64" {
			signal(p, dir, unix.SIGKILL)
		}
	}
	require.NoError(t, until(t.Context(), 20*time.Millisecond, func() (bool, error) {
		left, err := owned(dir)
		return len(left) == 1, err
	}))
	_, found, err := Find(dir)
	require.NoError(t, err)
	require.False(t, found)

	back := ensure(t, dir)
	assert.NotEqual(t, d.PID, back.PID)
	assert.Equal(t, ns, namespace(t, back))
	assert.Equal(t, "running", virsh(t, back, "domstate", "g"))
}

func TestSilentDaemon(t *testing.T) {
	dir := stateDir(t, "h")
	d := ensure(t, dir)
	require.NoError(t, unix.Kill(d.PID, unix.SIGSTOP))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := Ensure(ctx, dir, Options{})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Less(t, time.Since(began), 5*time.Second)
	stop(t, dir) // a stopped process has to be killed
}

func TestPowerCutLeavesFiles(t *testing.T) {
	dir := stateDir(t, "h")
	ensure(t, dir)
	saved := filepath.Join(t.TempDir(), "saved")
	require.NoError(t, exec.Command("cp", "-a", dir, saved).Run())
	stop(t, dir)
	// As after a restart of the machine: the files are there, and the PID file of
	// a guest names a process of someone else.
	require.NoError(t, exec.Command("cp", "-a", saved, dir).Run())
	stranger := foreign(t)
	stale := filepath.Join(dir, "run", "qemu", "g.pid")
	require.NoError(t, os.WriteFile(stale, []byte(strconv.Itoa(stranger.Process.Pid)), 0o600))

	d := ensure(t, dir)
	assert.NoFileExists(t, stale)
	virsh(t, d, "list")
	stop(t, dir)
	assert.NoError(t, stranger.Process.Signal(unix.Signal(0)), "the stranger lives")
}

// foreign is a process that looks like ours in every way but the mark: name,
// arguments, and a mount namespace of its own.
func foreign(t *testing.T) *exec.Cmd {
	t.Helper()
	program := filepath.Join(t.TempDir(), libvirtd)
	sleep, err := exec.LookPath("sleep")
	require.NoError(t, err)
	content, err := os.ReadFile(sleep)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, content, 0o700))
	cmd := exec.CommandContext(t.Context(), "unshare", "--mount", "--net", program, "600")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	require.Eventually(t, func() bool {
		line, err := os.ReadFile(procPath(cmd.Process.Pid, "cmdline"))
		return err == nil && bytes.HasPrefix(line, []byte(program))
	}, 5*time.Second, 10*time.Millisecond)
	return cmd
}

func TestDaemonThatCannotStart(t *testing.T) {
	dir := stateDir(t, "h")
	obstacle := filepath.Join(dir, "lib", "qemu")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, lockName), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Dir(obstacle), 0o755))
	require.NoError(t, os.WriteFile(obstacle, nil, 0o600))
	_, err := Ensure(t.Context(), dir, Options{})
	var start *StartError
	require.ErrorAs(t, err, &start)
	assert.Contains(t, start.Log, "/var/lib/libvirt/qemu")
	left, err := descended(dir)
	require.NoError(t, err)
	assert.Empty(t, left)

	require.NoError(t, os.Remove(obstacle))
	virsh(t, ensure(t, dir), "list")
}
