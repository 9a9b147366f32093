package libvirt_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/provision/libvirt"
)

// hinted is an error that tells the user what to do.
type hinted interface{ Hint() string }

func requireHint(t *testing.T, err error, part string) {
	t.Helper()
	var h hinted
	require.True(t, errors.As(err, &h), "%v has no hint", err)
	require.Contains(t, h.Hint(), part)
}

func TestAStoppedDaemonIsAnErrorInTime(t *testing.T) {
	t.Parallel()
	d := startDaemon(t)
	keep := d.open(t, 0) // the driver's state lasts while somebody is connected
	h := d.open(t, 2*time.Second)
	signal := func(s syscall.Signal) { require.NoError(t, syscall.Kill(d.cmd.Process.Pid, s)) }
	t.Cleanup(func() { signal(syscall.SIGCONT) })

	signal(syscall.SIGSTOP)
	for range 2 { // with a connection, and while making one
		start := time.Now()
		_, err := h.Objects(t.Context(), "pair")
		var silent *libvirt.SilentError
		require.ErrorAs(t, err, &silent)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		requireHint(t, err, "stopped or stuck")
		require.Less(t, time.Since(start), 6*time.Second)
	}
	start := time.Now()
	_, err := libvirt.Open(t.Context(), libvirt.Options{URI: "test:///default", Socket: d.socket, Timeout: 2 * time.Second})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(start), 6*time.Second)

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start = time.Now()
	err = h.Checkpoint(ctx, "pair", "ready", []string{"a"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(start), time.Second, "the context is shorter than the limit")
	start = time.Now()
	require.NoError(t, h.Close(), "closing waits for nobody")
	require.Less(t, time.Since(start), time.Second)

	signal(syscall.SIGCONT)
	objects, err := h.Objects(t.Context(), "pair")
	require.NoError(t, err, "the same hypervisor connects again")
	require.Empty(t, objects)
	_, err = keep.Facts(t.Context())
	require.NoError(t, err)
}

func TestASlowCallMayTakeLongAndAStuckOneMayNot(t *testing.T) {
	t.Parallel()
	d := startDaemon(t)
	h := d.open(t, time.Second)
	require.NoError(t, libvirt.SlowCall(t.Context(), h, 3*time.Second),
		"three times the limit, with a daemon that answers other calls")

	time.AfterFunc(100*time.Millisecond, func() { _ = syscall.Kill(d.cmd.Process.Pid, syscall.SIGSTOP) })
	defer func() { _ = syscall.Kill(d.cmd.Process.Pid, syscall.SIGCONT) }()
	start := time.Now()
	require.ErrorIs(t, libvirt.SlowCall(t.Context(), h, time.Minute), context.DeadlineExceeded)
	require.Less(t, time.Since(start), 10*time.Second)
}

func TestADaemonThatDiesAndComesBack(t *testing.T) {
	t.Parallel()
	d := startDaemon(t)
	h := d.open(t, 0)
	_, err := h.Facts(t.Context())
	require.NoError(t, err)
	require.NoError(t, d.cmd.Process.Kill())
	_ = d.cmd.Wait()
	_, err = h.Facts(t.Context())
	require.Error(t, err)
	var none *libvirt.NoDaemonError
	var lost *libvirt.LostError
	require.True(t, errors.As(err, &none) || errors.As(err, &lost), "%v", err)
	requireHint(t, err, "daemon")

	d.start(t)
	_, err = h.Facts(t.Context())
	require.NoError(t, err)
}

func TestNoDaemon(t *testing.T) {
	_, err := libvirt.Open(t.Context(), libvirt.Options{Socket: t.TempDir() + "/none"})
	require.ErrorContains(t, err, "/none")
	requireHint(t, err, "start a daemon")

	_, err = libvirt.Open(t.Context(), libvirt.Options{URI: "qemu:///session"})
	requireHint(t, err, "qemu:///system")
	for _, uri := range []string{"xen:///system", "qemu+tcp://host/system", "qemu+ssh:///system", ":"} {
		_, err = libvirt.Open(t.Context(), libvirt.Options{URI: uri})
		require.Error(t, err, uri)
	}
}
