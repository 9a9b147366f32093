package private

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// stateDir returns a directory for a hypervisor, which is ended after the test.
func stateDir(t *testing.T, elems ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a real libvirtd")
	}
	dir := filepath.Join(append([]string{t.TempDir()}, elems...)...)
	t.Cleanup(func() { stop(t, dir) })
	return dir
}

func stop(t *testing.T, dir string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	require.NoError(t, Stop(ctx, dir))
	left, err := descended(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func ensure(t *testing.T, dir string) *Daemon {
	t.Helper()
	d, err := Ensure(t.Context(), dir, Options{})
	require.NoError(t, err)
	return d
}

// virsh runs a virsh command from outside the namespaces.
func virsh(t *testing.T, d *Daemon, argv ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "virsh", append([]string{"-c", "qemu:///system?socket=" + d.Socket}, argv...)...).CombinedOutput()
	require.NoError(t, err, "virsh %v printed: %s", argv, out)
	return strings.TrimSpace(string(out))
}

func namespace(t *testing.T, d *Daemon) string {
	t.Helper()
	ns, err := os.Readlink(procPath(d.PID, "ns/net"))
	require.NoError(t, err)
	return ns
}

func TestLife(t *testing.T) {
	dir := stateDir(t, "a b")
	_, found, err := Find(dir)
	require.NoError(t, err)
	require.False(t, found)
	require.NoFileExists(t, dir, "Find makes nothing")

	began := time.Now()
	d := ensure(t, dir)
	t.Logf("answers after %s", time.Since(began))
	assert.Equal(t, "/var/lib/libvirt/images", d.Visible(filepath.Join(dir, "lib", "images")))

	again := ensure(t, dir)
	assert.Equal(t, d.PID, again.PID)
	found1, found, err := Find(dir)
	require.NoError(t, err)
	require.True(t, found)
	assert.Equal(t, d.PID, found1.PID)

	inside, err := d.Exec(t.Context(), "virsh", "-c", "qemu:///system", "uri").CombinedOutput()
	require.NoError(t, err, "%s", inside)
	assert.Equal(t, "qemu:///system", strings.TrimSpace(string(inside)))

	stop(t, dir)
	_, found, err = Find(dir)
	require.NoError(t, err)
	assert.False(t, found)
	assert.NoDirExists(t, dir)
	stop(t, dir)
	assert.NoDirExists(t, dir)
}

func TestLongPath(t *testing.T) {
	dir := stateDir(t, strings.Repeat("deep", 20), strings.Repeat("deeper", 20))
	d := ensure(t, dir)
	assert.LessOrEqual(t, len(d.Socket), maxSocketPath)
	assert.Equal(t, "qemu:///system", strings.SplitN(virsh(t, d, "uri"), "?", 2)[0])
}

func TestManyAtOnceStartOne(t *testing.T) {
	dir := stateDir(t, "h")
	pids := make(chan int, 8)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if i%2 == 0 {
				d, err := Ensure(t.Context(), dir, Options{})
				if assert.NoError(t, err) {
					pids <- d.PID
				}
				return
			}
			cmd := caller(t, ensureIn, dir)
			out, err := cmd.Output()
			assert.NoError(t, err, "%s", out)
			pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
			assert.NoError(t, err)
			pids <- pid
		})
	}
	all.Wait()
	close(pids)
	first := <-pids
	for pid := range pids {
		assert.Equal(t, first, pid)
	}
}

// caller is another process that calls Ensure or Stop.
func caller(t *testing.T, what, dir string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), what+"="+dir)
	return cmd
}

func killAfter(t *testing.T, cmd *exec.Cmd, after time.Duration) {
	t.Helper()
	require.NoError(t, cmd.Start())
	time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
}

func TestCallerKilledAtAnyMoment(t *testing.T) {
	dir := stateDir(t, "h")
	for round := range 6 {
		after := time.Duration(rand.IntN(120)) * time.Millisecond
		t.Run(fmt.Sprintf("%d after %s", round, after), func(t *testing.T) {
			killAfter(t, caller(t, ensureIn, dir), after)
			before, alive, err := Find(dir)
			require.NoError(t, err)

			d := ensure(t, dir)
			if alive {
				assert.Equal(t, before.PID, d.PID, "what survives is used")
			}
			virsh(t, d, "list")
			if round%2 == 0 {
				stop(t, dir)
			}
		})
	}
}

func TestStopKilledAtAnyMoment(t *testing.T) {
	dir := stateDir(t, "h")
	for round := range 4 {
		after := time.Duration(rand.IntN(80)) * time.Millisecond
		t.Run(fmt.Sprintf("%d after %s", round, after), func(t *testing.T) {
			virsh(t, ensure(t, dir), "net-create", document(t, network))
			killAfter(t, caller(t, stopIn, dir), after)
			if round%2 == 0 {
				virsh(t, ensure(t, dir), "list")
			}
			stop(t, dir)
			assert.NoFileExists(t, filepath.Join(dir, lockName))
		})
	}
}

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

func TestGuestsAreUnprivileged(t *testing.T) {
	if qemuAccount().uid == 0 {
		t.Skip("this machine has no account for guests")
	}
	dir := stateDir(t, "h")
	d := ensure(t, dir)
	virsh(t, d, "net-create", document(t, network))
	virsh(t, d, "create", document(t, fmt.Sprintf(guest, "g")))
	members, err := owned(dir)
	require.NoError(t, err)
	p, ok := oldest(members, "qemu-system-x86_64")
	require.True(t, ok, "%v", members)
	status, err := os.ReadFile(procPath(p.pid, "status"))
	require.NoError(t, err)
	assert.Contains(t, string(status), fmt.Sprintf("Uid:\t%d\t", qemuAccount().uid))
	assert.Contains(t, string(status), "CapEff:\t0000000000000000")
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

func TestStopWithoutTheFolder(t *testing.T) {
	dir := stateDir(t, "h")
	ensure(t, dir)
	require.NoError(t, os.RemoveAll(dir))
	stop(t, dir)
	assert.NoDirExists(t, dir)
}

func TestForeignFolderIsLeftAlone(t *testing.T) {
	dir := stateDir(t, "h")
	precious := filepath.Join(dir, "etc", "precious")
	require.NoError(t, os.MkdirAll(filepath.Dir(precious), 0o755))
	require.NoError(t, os.WriteFile(precious, nil, 0o600))
	_, err := Ensure(t.Context(), dir, Options{})
	assert.ErrorContains(t, err, "is not ours")
	stop(t, dir)
	assert.FileExists(t, precious)
}

func TestStopDoesNotDeleteThroughAMount(t *testing.T) {
	dir := stateDir(t, "h")
	ensure(t, dir)
	precious := filepath.Join(t.TempDir(), "precious")
	require.NoError(t, os.MkdirAll(precious, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(precious, "file"), nil, 0o600))
	point := filepath.Join(dir, "lib", "images", "mounted")
	require.NoError(t, os.Mkdir(point, 0o755))
	// A mount in a namespace of the thread's own: nobody else sees it.
	require.NoError(t, onThread(func() error {
		if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
			return err
		}
		if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
			return err
		}
		if err := unix.Mount(precious, point, "", unix.MS_BIND, ""); err != nil {
			return err
		}
		assert.ErrorContains(t, remove(dir), "is a mount that we did not make")
		return nil
	}))
	assert.FileExists(t, filepath.Join(precious, "file"))
}

func TestReadOnlyFolders(t *testing.T) {
	dir := stateDir(t, "h")
	closed := filepath.Join(t.TempDir(), "closed") // QEMU's user cannot pass here
	require.NoError(t, os.Mkdir(closed, 0o700))
	images := filepath.Join(closed, "images")
	require.NoError(t, os.Mkdir(images, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(images, "base"), []byte("base"), 0o644))

	ensure(t, dir) // the folder is added while the daemon runs
	d, err := Ensure(t.Context(), dir, Options{ReadOnly: []string{images}})
	require.NoError(t, err)
	path := d.Visible(filepath.Join(images, "base"))
	require.NotEqual(t, filepath.Join(images, "base"), path)

	out, err := d.Exec(t.Context(), "setpriv", "--reuid", qemuAccount().name, "--clear-groups", "cat", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, "base", string(out))
	out, err = d.Exec(t.Context(), "touch", path).CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), "Read-only file system")

	found, ok, err := Find(dir)
	require.NoError(t, err)
	require.True(t, ok)
	assert.Equal(t, path, found.Visible(filepath.Join(images, "base")), "Find knows the folder")

	require.NoError(t, os.Chmod(images, 0o700))
	_, err = Ensure(t.Context(), dir, Options{ReadOnly: []string{images}})
	require.NoError(t, err, "a folder that is there is not asked about again")
	_, err = Ensure(t.Context(), dir, Options{ReadOnly: []string{closed}})
	var unreadable *UnreadableError
	require.ErrorAs(t, err, &unreadable)
	assert.Equal(t, "chmod o+rx '"+closed+"'; the folders above it may stay closed", unreadable.Hint())
	stop(t, dir)
	assert.FileExists(t, filepath.Join(images, "base"))
}
