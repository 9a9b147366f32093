package libvirt_test

import (
	"bytes"
	"context"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/provision"
	"labctl/provision/libvirt"
	"labctl/provision/private"
	"labctl/provision/private/privatetest"
)

// TestTrouble is what happens to real domains and pools behind our back.
func TestTrouble(t *testing.T) {
	t.Parallel()
	d := privatetest.Start(t, private.Options{})
	h, err := libvirt.Open(t.Context(), libvirt.Options{Socket: d.Socket, DialNode: d.Dial, PoolRoot: pools})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	for _, c := range []struct {
		name string
		run  func(*site)
	}{
		{"a checkpoint that fails leaves nothing and the old one", failedCheckpoint},
		{"an interrupted upload is finished by the next ensure", interruptedUpload},
		{"a daemon that stops during an upload", stoppedUpload},
		{"a pool that is busy is waited for", busyPool},
		{"a saved domain is woken, and removed with its image", savedDomain},
		{"a domain with the user's own snapshots is removed", userSnapshots},
		{"a QEMU that is killed is started again", killedQEMU},
		{"a pool whose directory is gone", lostDirectory},
		{"a pool that is stopped", stoppedPool},
		{"a folder with somebody's files is neither adopted nor deleted", occupiedFolder},
		{"the folder of pools goes with the last pool", lastPool},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &site{T: t, hv: h, daemon: d, user: user{uri: "qemu+unix:///system?socket=" + d.Socket}}
			defer s.down()
			c.run(s)
		})
	}
}

// site is the owner "trouble" on a private hypervisor.
type site struct {
	*testing.T
	hv     *libvirt.Hypervisor
	daemon *private.Daemon
	user   user
}

const owner = "trouble"

func (s *site) up(names ...string) []provision.Domain {
	s.Helper()
	require.NoError(s, s.hv.EnsureNetwork(s.Context(), provision.Network{Owner: owner, Name: owner, Bridge: owner,
		CIDR: netip.MustParsePrefix("10.10.10.0/24"), Gateway: netip.MustParseAddr("10.10.10.1")}))
	var domains []provision.Domain
	for i, name := range names {
		disk, err := s.hv.EnsureVolume(s.Context(), provision.Volume{Owner: owner, Name: name, Format: "qcow2", Capacity: 8 << 20})
		require.NoError(s, err)
		d := provision.Domain{Owner: owner, Name: owner + "-" + name, UUID: "7d7d2a3c-31a5-4b52-9d0f-00000000000" + string(rune('1'+i)),
			MAC: "02:00:00:00:00:0" + string(rune('1'+i)), VCPUs: 1, MemoryMiB: 64, Disk: disk, Network: owner}
		require.NoError(s, s.hv.EnsureDomain(s.Context(), d))
		domains = append(domains, d)
	}
	return domains
}

func (s *site) down() {
	objects, err := s.hv.Objects(s.Context(), owner)
	require.NoError(s, err)
	for _, o := range objects {
		require.NoError(s, s.hv.Remove(s.Context(), o))
	}
	objects, err = s.hv.Objects(s.Context(), owner)
	require.NoError(s, err)
	require.Empty(s, objects)
}

func (s *site) runs(d provision.Domain) {
	s.Helper()
	state, err := s.hv.DomainState(s.Context(), d.Name)
	require.NoError(s, err)
	require.Equal(s, provision.Running, state, d.Name)
}

// local is where a file of the daemon's is found from here.
func (s *site) local(p string) string { return s.daemon.Local(p) }

func failedCheckpoint(s *site) {
	domains := s.up("a", "b")
	names := []string{domains[0].Name, domains[1].Name}
	require.NoError(s, s.hv.Checkpoint(s.Context(), owner, "ready", names))
	before := s.user.virsh(s.T, "snapshot-list", names[0], "--name")

	// A raw disk cannot be part of a snapshot.
	raw, err := s.hv.EnsureVolume(s.Context(), provision.Volume{Owner: owner, Name: "raw", Format: "raw", Capacity: 1 << 20})
	require.NoError(s, err)
	s.user.virsh(s.T, "attach-disk", names[1], raw, "vdc", "--driver", "qemu", "--subdriver", "raw", "--live")
	err = s.hv.Checkpoint(s.Context(), owner, "ready", names)
	require.ErrorContains(s, err, names[1])
	require.Equal(s, before, s.user.virsh(s.T, "snapshot-list", names[0], "--name"), "the half that worked is gone")
	for _, d := range domains {
		s.runs(d)
	}
	s.user.virsh(s.T, "detach-disk", names[1], "vdc", "--live")
	require.NoError(s, s.hv.Revert(s.Context(), owner, "ready", names))
	require.NoError(s, s.hv.Checkpoint(s.Context(), owner, "ready", names))
	require.NotEqual(s, before, s.user.virsh(s.T, "snapshot-list", names[0], "--name"))
	require.Len(s, strings.Fields(s.user.virsh(s.T, "snapshot-list", names[0], "--name")), 1)
}

// large is a volume whose upload can be caught half-way.
type large struct {
	provision.Volume
	file string // where it arrives
}

const largeSize = 200 << 20

func (s *site) large(size int) large {
	source := filepath.Join(s.TempDir(), "image")
	require.NoError(s, os.WriteFile(source, bytes.Repeat([]byte("0123456789abcdef"), size/16), 0o600))
	return large{Volume: provision.Volume{Owner: owner, Name: "image", Format: "raw", Source: source},
		file: filepath.Join(s.local(pools), owner, "image")}
}

func (l large) length() int64 {
	info, err := os.Stat(l.file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// halfway starts the upload and returns when some of it has arrived.
func (s *site) halfway(ctx context.Context, hv *libvirt.Hypervisor, l large) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := hv.EnsureVolume(ctx, l.Volume)
		ended <- err
	}()
	require.Eventually(s, func() bool { return l.length() > 0 }, 20*time.Second, time.Millisecond)
	return ended
}

func interruptedUpload(s *site) {
	l := s.large(largeSize)
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	ended := s.halfway(ctx, s.hv, l)
	cancel()
	require.ErrorIs(s, <-ended, context.Canceled)
	require.Less(s, l.length(), int64(largeSize), "the test was too late to interrupt")

	p, err := s.hv.EnsureVolume(s.Context(), l.Volume)
	require.NoError(s, err)
	require.Equal(s, l.file, s.local(p))
	require.EqualValues(s, largeSize, l.length())
}

func stoppedUpload(s *site) {
	l := s.large(largeSize)
	hv, err := libvirt.Open(s.Context(), libvirt.Options{Socket: s.daemon.Socket, PoolRoot: pools, Timeout: 5 * time.Second})
	require.NoError(s, err)
	defer hv.Close()
	ended := s.halfway(s.Context(), hv, l)
	require.NoError(s, syscall.Kill(s.daemon.PID, syscall.SIGSTOP))
	start := time.Now()
	err = <-ended
	require.NoError(s, syscall.Kill(s.daemon.PID, syscall.SIGCONT))
	require.ErrorIs(s, err, context.DeadlineExceeded)
	require.Less(s, time.Since(start), 20*time.Second)
	_, err = s.hv.EnsureVolume(s.Context(), l.Volume)
	require.NoError(s, err)
	require.EqualValues(s, largeSize, l.length())
}

// busyPool: while a volume is made, the daemon refuses to look into its pool.
func busyPool(s *site) {
	l := s.large(32 << 20)
	_, err := s.hv.EnsureVolume(s.Context(), l.Volume)
	require.NoError(s, err)
	cloned := make(chan struct{})
	go func() {
		defer close(cloned)
		out, err := exec.CommandContext(s.Context(), "virsh", "-q", "-c", s.user.uri, "vol-clone", "image", "copy",
			"--pool", "labctl-"+owner).CombinedOutput()
		assert.NoError(s, err, "%s", out)
	}()
	for {
		objects, err := s.hv.Objects(s.Context(), owner)
		require.NoError(s, err)
		require.NotEmpty(s, objects)
		select {
		case <-cloned:
			return
		default:
		}
	}
}

func savedDomain(s *site) {
	d := s.up("a")[0]
	s.user.virsh(s.T, "managedsave", d.Name)
	require.NoError(s, s.hv.EnsureDomain(s.Context(), d))
	s.runs(d)
	s.user.virsh(s.T, "managedsave", d.Name)
}

func userSnapshots(s *site) {
	d := s.up("a")[0]
	s.user.virsh(s.T, "snapshot-create-as", d.Name, "mine")
	s.user.virsh(s.T, "snapshot-create-as", d.Name, "mine-too")
	require.NoError(s, s.hv.Checkpoint(s.Context(), owner, "ready", []string{d.Name}))
	require.Len(s, strings.Fields(s.user.virsh(s.T, "snapshot-list", d.Name, "--name")), 3, "the user's are left alone")
}

func killedQEMU(s *site) {
	d := s.up("a")[0]
	pid := strings.TrimSpace(readFile(s.T, s.local("/run/libvirt/qemu/"+d.Name+".pid")))
	require.NoError(s, s.daemon.Exec(s.Context(), "kill", "-KILL", pid).Run())
	require.Eventually(s, func() bool {
		state, err := s.hv.DomainState(s.Context(), d.Name)
		return err == nil && state != provision.Running
	}, 10*time.Second, 50*time.Millisecond)
	require.NoError(s, s.hv.EnsureDomain(s.Context(), d))
	s.runs(d)
}

func lostDirectory(s *site) {
	d := s.up("a")[0]
	require.NoError(s, s.hv.Remove(s.Context(), provision.Object{Kind: provision.KindDomain, Name: d.Name, Owner: owner}))
	require.NoError(s, os.RemoveAll(filepath.Join(s.local(pools), owner)))
	disk, err := s.hv.EnsureVolume(s.Context(), provision.Volume{Owner: owner, Name: "a", Format: "qcow2", Capacity: 8 << 20})
	require.NoError(s, err)
	require.FileExists(s, s.local(disk))
	require.NoError(s, s.hv.EnsureDomain(s.Context(), d))
	require.NoError(s, s.hv.Remove(s.Context(), provision.Object{Kind: provision.KindDomain, Name: d.Name, Owner: owner}))
	require.NoError(s, os.RemoveAll(filepath.Join(s.local(pools), owner)))
}

func stoppedPool(s *site) {
	d := s.up("a")[0]
	s.user.virsh(s.T, "pool-destroy", "labctl-"+owner)
	objects, err := s.hv.Objects(s.Context(), owner)
	require.NoError(s, err)
	require.Contains(s, objects, provision.Object{Kind: provision.KindPool, Name: "labctl-" + owner, Owner: owner})
	_, err = s.hv.EnsureVolume(s.Context(), provision.Volume{Owner: owner, Name: "a", Format: "qcow2", Capacity: 8 << 20})
	require.NoError(s, err)
	s.runs(d)
	s.user.virsh(s.T, "pool-destroy", "labctl-"+owner)
}
