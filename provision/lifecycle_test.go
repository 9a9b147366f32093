package provision_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/remote"
	connmemory "labctl/internal/remote/memory"
	"labctl/provision"
	"labctl/provision/memory"
	"labctl/topology"
)

// world is a pair of bare nodes on the in-memory hypervisor.
type world struct {
	*provision.Cluster
	hv     *memory.Hypervisor
	events []journal.Event
	// skew is how far the nodes' clocks are ahead, in ns; setting them makes it 0.
	skew atomic.Int64
}

func newWorld(t *testing.T) *world {
	t.Helper()
	top, err := topology.Embedded("small")
	require.NoError(t, err)
	dir := t.TempDir()
	w := &world{hv: memory.New()}
	w.hv.DialNode = func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		return ours, theirs.Close()
	}
	files := map[string]string{}
	for _, name := range []string{"disk.qcow2", "vmlinuz", "initrd.img"} {
		files[name] = filepath.Join(dir, name)
		require.NoError(t, writeTestFile(files[name], name))
	}
	w.Cluster = &provision.Cluster{
		Name: "small", Dir: filepath.Join(dir, "pairs", "small"), Topology: top,
		Image:          provision.Image{ID: "0123456789abcdef", Disk: files["disk.qcow2"], Kernel: files["vmlinuz"], Initrd: files["initrd.img"]},
		HypervisorName: "memory", Hypervisor: w.hv, Accelerator: provision.TCG,
		Connect: w.connect,
		Listen:  func(e journal.Event) { w.events = append(w.events, e) },
	}
	return w
}

func (w *world) connect(context.Context, string, topology.Node, remote.Dial) (remote.Conn, error) {
	c := connmemory.New()
	c.When(func(c remote.Command) bool { return strings.Contains(c.Script, "echo \"$EPOCHREALTIME\"") }, func(remote.Command) connmemory.Answer {
		now := time.Now().Add(time.Duration(w.skew.Load()))
		return connmemory.Answer{Output: remote.Output{Stdout: fmt.Appendf(nil, "%d.%06d\n", now.Unix(), now.Nanosecond()/1000)}}
	})
	c.When(func(c remote.Command) bool { return strings.Contains(c.Script, "date -u -s") }, func(remote.Command) connmemory.Answer {
		w.skew.Store(0)
		return connmemory.Answer{}
	})
	return c, nil
}

func TestUpIsDoneOnce(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.Up(t.Context()))
	acts := w.hv.Acts()
	assert.NotEmpty(t, acts)
	rec, err := provision.ReadRecord(w.Dir)
	require.NoError(t, err)
	assert.True(t, rec.Checkpoint)
	assert.False(t, rec.Ready.IsZero())

	require.NoError(t, w.Up(t.Context()))
	assert.Equal(t, acts, w.hv.Acts(), "the second up changes nothing")
}

// Whatever act labctl dies after, another up finishes and a down leaves nothing.
func TestUpFinishesAfterDeathAtAnyAct(t *testing.T) {
	whole := newWorld(t)
	require.NoError(t, whole.Up(t.Context()))
	for n := range whole.hv.Acts() {
		w := newWorld(t)
		w.hv.DieAfter(n)
		err := upFast(t, w)
		// A busy machine may be over the short limit before it comes to the act.
		for range 20 {
			if err == nil || strings.Contains(err.Error(), memory.ErrDied.Error()) {
				break
			}
			err = upFast(t, w)
		}
		require.ErrorContains(t, err, memory.ErrDied.Error(), "after act %d", n)
		w.hv.Revive()
		require.NoError(t, w.Up(t.Context()), "after act %d", n)
		require.NoError(t, w.Down(t.Context(), w.RemoveObjects), "after act %d", n)
		assert.Empty(t, objects(t, w), "after act %d", n)
	}
}

func TestDownFinishesAfterDeathAtAnyAct(t *testing.T) {
	whole := newWorld(t)
	require.NoError(t, whole.Up(t.Context()))
	up := len(whole.hv.Acts())
	require.NoError(t, whole.Down(t.Context(), whole.RemoveObjects))
	for n := range len(whole.hv.Acts()) - up {
		w := newWorld(t)
		require.NoError(t, w.Up(t.Context()))
		w.hv.DieAfter(n)
		require.Error(t, w.Down(t.Context(), w.RemoveObjects), "after act %d", n)
		w.hv.Revive()
		require.NoError(t, w.Down(t.Context(), w.RemoveObjects), "after act %d", n)
		assert.Empty(t, objects(t, w), "after act %d", n)
	}
}

func TestDownTwiceAndOfNothing(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.Down(t.Context(), w.RemoveObjects), "nothing is there")
	require.NoError(t, w.Up(t.Context()))
	require.NoError(t, w.Down(t.Context(), w.RemoveObjects))
	require.NoError(t, w.Down(t.Context(), w.RemoveObjects))
}

// The hypervisor's own marks are enough to find everything.
func TestDownWithoutTheFolder(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.Up(t.Context()))
	w.Dir = filepath.Join(t.TempDir(), "gone")
	require.NoError(t, w.Down(t.Context(), w.RemoveObjects))
	assert.Empty(t, objects(t, w))
}

// One thing that cannot be removed keeps nothing else from going.
func TestDownGoesOnAndNamesWhatIsLeft(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.Up(t.Context()))
	before := len(w.hv.Acts())
	require.NoError(t, w.Down(t.Context(), w.RemoveObjects))
	first := w.hv.Acts()[before]

	w = newWorld(t)
	require.NoError(t, w.Up(t.Context()))
	w.hv.Fail(first, errors.New("the disk is on fire"))
	err := w.Down(t.Context(), w.RemoveObjects)
	var left *provision.LeftError
	require.ErrorAs(t, err, &left)
	assert.NotEmpty(t, left.Left)
	assert.ErrorContains(t, err, "the disk is on fire")
	assert.Less(t, len(objects(t, w)), 5, "the rest is gone")
}

func TestUpRefusesAnotherTopologyOrImage(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.Up(t.Context()))
	w.Image.ID = "fedcba9876543210"
	var changed *provision.ChangedError
	require.ErrorAs(t, w.Up(t.Context()), &changed)
	assert.Contains(t, changed.Hint(), "labctl down small")
}

// A half-done down forgets what was done to the nodes before it takes their
// disks: another up must not skip a step.
func TestUpAfterDeathInDown(t *testing.T) {
	whole := newWorld(t)
	require.NoError(t, whole.Up(t.Context()))
	up := len(whole.hv.Acts())
	require.NoError(t, whole.Down(t.Context(), whole.RemoveObjects))
	for n := range len(whole.hv.Acts()) - up {
		w := newWorld(t)
		require.NoError(t, w.Up(t.Context()))
		w.hv.DieAfter(n)
		require.Error(t, w.Down(t.Context(), w.RemoveObjects), "after act %d", n)
		rec, err := provision.ReadRecord(w.Dir)
		require.NoError(t, err)
		assert.Empty(t, rec.Done, "after act %d", n)
		assert.True(t, rec.Ready.IsZero(), "after act %d", n)
		w.hv.Revive()
		require.NoError(t, w.Up(t.Context()), "after act %d", n)
	}
}

// A reset that did not end is not "nothing to do", and what the nodes are in the
// middle of it is never what a later reset goes back to.
func TestUpAfterAFailedReset(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.Up(t.Context()))
	dial := w.hv.DialNode
	w.hv.DialNode = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("deaf") }
	provision.LimitSteps(w.Cluster, 50*time.Millisecond)
	require.ErrorContains(t, w.Reset(t.Context()), "deaf")
	w.hv.DialNode = dial
	provision.LimitSteps(w.Cluster, 0)
	before := len(w.hv.Acts())
	require.NoError(t, w.Up(t.Context()))
	for _, act := range w.hv.Acts()[before:] {
		assert.NotContains(t, act, "snapshot", "no checkpoint is taken of a pair that was not just provisioned")
	}
	assert.Contains(t, strings.Join(w.texts(), "\n"), "going back to that")
}

// Two pairs of one name, made by two labctls on one hypervisor.
func TestAnothersPairIsLeftAlone(t *testing.T) {
	first, second := newWorld(t), newWorld(t)
	second.hv, second.Hypervisor = first.hv, first.hv
	require.NoError(t, first.Up(t.Context()))
	require.ErrorContains(t, upFast(t, second), "belongs to")
	require.NoError(t, second.Down(t.Context(), second.RemoveObjects))
	state, err := first.hv.DomainState(t.Context(), "small-a")
	require.NoError(t, err)
	assert.Equal(t, provision.Running, state)
}

func TestUpBootsANodeThatWasStopped(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.Up(t.Context()))
	w.hv.SetState("small-a", provision.Off)
	require.NoError(t, w.Up(t.Context()))
	state, err := w.hv.DomainState(t.Context(), "small-a")
	require.NoError(t, err)
	assert.Equal(t, provision.Running, state)
}

// A disk that someone deletes takes what was done on it along, and the
// checkpoint; another up or reset notices before it trusts either.
func TestALostDiskIsMadeAgain(t *testing.T) {
	for verb, again := range map[string]func(*world) error{
		"up":    func(w *world) error { return w.Up(t.Context()) },
		"reset": func(w *world) error { return w.Reset(t.Context()) },
	} {
		for _, state := range []provision.State{provision.Running, provision.Off} {
			w := newWorld(t)
			require.NoError(t, w.Up(t.Context()))
			w.hv.SetState("small-a", state)
			w.hv.Lose(memory.VolumePath(w.Owner, "a.qcow2"))
			before := len(w.hv.Acts())
			require.NoError(t, again(w), "%s of a node that is %s", verb, state)
			assert.Contains(t, strings.Join(w.texts(), "\n"), `the disk of node "a" is gone`)
			acts := w.hv.Acts()[before:]
			for _, act := range []string{"remove domain small-a", "remove domain small-b", "create volume a.qcow2", "create volume b.qcow2", "start domain small-a"} {
				assert.Contains(t, acts, act, "%s of a node that is %s", verb, state)
			}
			require.NoError(t, w.Up(t.Context()))
			assert.Len(t, w.hv.Acts(), before+len(acts), "and it is whole")
		}
	}
}

// Before the pair is ready there is no checkpoint to go back to, and the steps
// that passed are noted as done.
func TestALostDiskOfAHalfMadePair(t *testing.T) {
	w := newWorld(t)
	dial := w.hv.DialNode
	w.hv.DialNode = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("deaf") }
	require.Error(t, upFast(t, w))
	w.hv.DialNode = dial
	w.hv.Lose(memory.VolumePath(w.Owner, "b.qcow2"))
	before := len(w.hv.Acts())
	require.NoError(t, w.Up(t.Context()))
	assert.Contains(t, w.hv.Acts()[before:], "remove domain small-b")
}

func TestResetRevertsAndStepsTheClocks(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.Up(t.Context()))
	w.skew.Store(int64(-time.Hour)) // as after a revert
	require.NoError(t, w.Reset(t.Context()))
	assert.Zero(t, w.skew.Load())
	assert.Contains(t, strings.Join(w.texts(), "\n"), "back at checkpoint")
}

func TestResetWithoutCheckpointsMakesDisksAnew(t *testing.T) {
	w := newWorld(t)
	w.hv.Answer.Checkpoints = false
	w.hv.Answer.WhyNoCheckpoints = "too old"
	require.NoError(t, w.Up(t.Context()))
	require.NoError(t, w.Reset(t.Context()))
	assert.Contains(t, strings.Join(w.texts(), "\n"), "making the nodes' disks anew")
	state, err := w.hv.DomainState(t.Context(), "small-a")
	require.NoError(t, err)
	assert.Equal(t, provision.Running, state)
}

func TestFailedRungComesWithEvidence(t *testing.T) {
	w := newWorld(t)
	refused := errors.New("connection refused")
	w.hv.DialNode = func(context.Context, string, string) (net.Conn, error) { return nil, refused }
	err := upFast(t, w)
	var step *provision.StepError
	require.ErrorAs(t, err, &step)
	assert.Equal(t, "port", step.Step)
	assert.Contains(t, step.Reason, "connection refused")
	assert.Contains(t, step.Consoles, "a")
	assert.Contains(t, step.Hint(), "labctl console")
}

func TestStatus(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.Up(t.Context()))
	rec, err := provision.ReadRecord(w.Dir)
	require.NoError(t, err)
	s, err := w.Status(t.Context(), rec)
	require.NoError(t, err)
	require.Len(t, s.Nodes, 2)
	assert.Equal(t, provision.Running, s.Nodes[0].State)
	assert.True(t, s.Nodes[0].SSH)
	require.NoError(t, w.Down(t.Context(), w.RemoveObjects))
	s, err = w.Status(t.Context(), rec)
	require.NoError(t, err)
	assert.Equal(t, provision.Gone, s.Nodes[0].State)
}

// upFast is Up with short limits: rungs that cannot be climbed wait for minutes.
func upFast(t *testing.T, w *world) error {
	t.Helper()
	provision.LimitSteps(w.Cluster, 50*time.Millisecond)
	defer provision.LimitSteps(w.Cluster, 0)
	return w.Up(t.Context())
}

func writeTestFile(path, content string) error { return os.WriteFile(path, []byte(content), 0o600) }

func objects(t *testing.T, w *world) []provision.Object {
	t.Helper()
	all, err := w.hv.Objects(t.Context(), w.Owner)
	require.NoError(t, err)
	return all
}

func (w *world) texts() []string {
	var all []string
	for _, e := range w.events {
		all = append(all, e.Text)
	}
	return all
}
