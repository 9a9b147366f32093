package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/provision"
	"labctl/topology"
)

// alone is set in the copy of the test program that has namespaces of its own,
// where nobody else mounts anything or makes an interface.
const alone = "DOCTOR_TEST_ALONE"

// The real machine, from end to end: it is quick, it says something of
// everything, and afterwards everything is as it was.
func TestThisMachineStaysAsItIs(t *testing.T) {
	if testing.Short() {
		t.Skip("makes namespaces, as root: run without -short, as root, as `make test` does")
	}
	if os.Getenv(alone) == "" {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestThisMachineStaysAsItIs$", "-test.v")
		cmd.Env = append(os.Environ(), alone+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	// /run gets a folder of its own, for others work in the machine's.
	require.NoError(t, syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""))
	require.NoError(t, syscall.Mount("tmpfs", "/run", "tmpfs", 0, ""))
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, key := range []string{"GOCACHE", "GOPATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		t.Setenv(key, "")
	}
	pair, err := topology.Embedded("pair")
	require.NoError(t, err)
	q := Question{
		Topology: pair, Pair: "pair", Bridge: "lab-47d8bd46", Hypervisor: Auto,
		StateDir: filepath.Join(home, "state"), CacheDir: filepath.Join(home, "cache"),
		HypervisorDir: filepath.Join(home, "state/pairs/pair/hypervisor"),
	}

	before := look(t, home)
	start := time.Now()
	m, err := This(q, func(_ context.Context, where string) (provision.Facts, error) {
		return provision.Facts{}, fmt.Errorf("asking %q: %w", where, provision.ErrNotFound)
	})
	require.NoError(t, err)
	found := Examine(t.Context(), m)
	took := time.Since(start)

	assert.Equal(t, before, look(t, home))
	assert.Less(t, took, 5*time.Second)
	seen := map[string]Finding{}
	for _, f := range found {
		seen[f.Check] = f
		assert.NotEmpty(t, f.Text, "%+v", f)
		assert.Equal(t, f.Level != OK, f.Fix != "", "%+v", f)
	}
	for _, name := range []string{"rights", "hypervisor", "accelerator", "cpus", "memory", "space", "network", "names", "programs", "namespaces", "image", "image-programs", "go", "clock"} {
		assert.Contains(t, seen, name)
	}
	assert.Equal(t, "ok: root", string(seen["rights"].Level)+": "+seen["rights"].Text)
	assert.Equal(t, OK, seen["network"].Level, "a new network namespace has no routes: %+v", seen["network"])
	assert.Contains(t, seen["image"].Text, "is not built yet")
}

// look lists what a careless check would change: mounts, interfaces, addresses,
// routes and rules, named namespaces, modules, and the files in a home and in
// the system's folders of libvirt.
func look(t *testing.T, home string) map[string]string {
	t.Helper()
	state := map[string]string{}
	for _, p := range []string{"/proc/self/mountinfo", "/proc/net/dev_mcast", "/proc/net/route", "/proc/net/fib_trie", "/proc/net/if_inet6"} {
		content, err := os.ReadFile(p)
		if err == nil || !os.IsNotExist(err) {
			require.NoError(t, err)
			state[p] = string(content)
		}
	}
	links, err := os.ReadDir("/proc/sys/net/ipv4/conf")
	require.NoError(t, err)
	for _, l := range links {
		state["interface "+l.Name()] = ""
	}
	for _, ns := range []string{"net", "mnt"} {
		link, err := os.Readlink("/proc/self/ns/" + ns)
		require.NoError(t, err)
		state[ns] = link
	}
	for _, root := range []string{home, "/run", "/etc/libvirt", "/var/lib/libvirt", "/var/cache/libvirt", "/var/log/libvirt"} {
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil // a folder that is not there, or somebody's that went
			}
			info, err := entry.Info()
			if err == nil {
				state[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return state
}

// A program that is run to be asked leaves nothing and gets no way to.
func TestRunQuietly(t *testing.T) {
	t.Parallel()
	out, err := runQuietly(t.Context(), "/bin/sh", "-c", `echo "$HOME $GOTOOLCHAIN $(pwd) [$SSH_AUTH_SOCK]"`)
	require.NoError(t, err)
	assert.Equal(t, "/dev/null local / []\n", out)
	_, err = runQuietly(t.Context(), "/bin/sh", "-c", "echo one >&2; echo two >&2; exit 3")
	assert.EqualError(t, err, "running sh: exit status 3: one; two")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = runQuietly(ctx, "/bin/sh", "-c", "exec sleep 60")
	require.Error(t, err)
	assert.Less(t, time.Since(start), 10*time.Second)
}
