package ssh_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
	"labctl/internal/remote/ssh"
)

// impatient is a target whose loss is noticed soon.
func impatient(t ssh.Target) ssh.Target {
	t.KeepaliveEvery, t.KeepaliveLimit = 100*time.Millisecond, 2*time.Second
	return t
}

func TestLost(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, user := range []string{"root", "tester"} {
		for name, script := range map[string]string{
			"server's session process is killed":  "echo begun; kill -KILL $PPID; sleep 600",
			"server's session process is stopped": "echo begun; kill -STOP $PPID; sleep 600",
		} {
			t.Run(user+", "+name, func(t *testing.T) {
				t.Parallel()
				c := dial(t, impatient(s.as(user)))
				out, err := c.Run(context.WithoutCancel(t.Context()), remote.Command{Script: script})
				require.ErrorIs(t, err, remote.ErrLost)
				assert.Zero(t, out.Exit)
				assert.Less(t, out.Duration, 10*time.Second)
				select {
				case <-c.Done():
				case <-time.After(time.Second):
					assert.Fail(t, "the connection does not say that it ended")
				}
				_, err = c.Run(context.WithoutCancel(t.Context()), remote.Command{Script: "echo hi"})
				require.ErrorIs(t, err, remote.ErrLost)
			})
		}
	}
}

func TestLostNetwork(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for name, cmd := range map[string]remote.Command{
		"no limit":       {Script: "echo begun; sleep 600"},
		"limit passes":   {Script: "echo begun; sleep 600", Timeout: time.Second},
		"output is held": {Script: "sleep 3 & echo begun"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := &cable{left: 1 << 40}
			c, err := ssh.Dial(t.Context(), impatient(s.target), line.dial)
			require.NoError(t, err)
			cmd.Stdout = func([]byte) { line.deaf.Store(true) }
			out, err := c.Run(context.WithoutCancel(t.Context()), cmd)
			require.ErrorIs(t, err, remote.ErrLost)
			assert.ErrorContains(t, err, "no sign of life for 2s")
			assert.Less(t, out.Duration, 10*time.Second)
		})
	}
	t.Run("while killing", func(t *testing.T) {
		t.Parallel()
		line := &cable{left: 1 << 40}
		c, err := ssh.Dial(t.Context(), impatient(s.target), line.dial)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		_, err = c.Run(ctx, remote.Command{Script: "echo begun; sleep 600", Stdout: func([]byte) { line.deaf.Store(true); cancel() }})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, remote.ErrLost)
	})
}

// What arrives in part does nothing.
func TestCutInTheMiddle(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	dir, witness := t.TempDir(), dial(t, s.target)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("old"), 0o644))
	content := []byte(strings.Repeat("new content\n", 100_000))
	until := func(what string) {
		out := run(t, witness, remote.Command{Script: "until " + what + "; do sleep 0.02; done", Timeout: 20 * time.Second})
		require.False(t, out.TimedOut, what)
	}
	// Others than the witness that wait for their script, or run it.
	const bashes = `pgrep -f 'read -r -[N]' | grep -qvx $$`
	cut := func(t *testing.T, begun string, do func(*ssh.Conn) error) {
		line := &cable{left: 200_000, before: func() { until(begun) }}
		c, err := ssh.Dial(t.Context(), s.target, line.dial)
		require.NoError(t, err)
		require.ErrorIs(t, do(c), remote.ErrLost)
		until("! " + bashes)
	}
	t.Run("file", func(t *testing.T) {
		cut(t, "ls -A "+dir+" | grep -q labctl", func(c *ssh.Conn) error { return c.Put(t.Context(), dir+"/file", 0o644, content) })
		out := run(t, witness, remote.Command{Script: "ls -A " + dir + "; cat " + dir + "/file"})
		assert.Equal(t, "file\nold", string(out.Stdout))
	})
	t.Run("script", func(t *testing.T) {
		cut(t, bashes, func(c *ssh.Conn) error {
			_, err := c.Run(t.Context(), remote.Command{Script: "touch " + dir + "/begun\n# " + strings.ReplaceAll(string(content), "\n", "\n# ")})
			return err
		})
		assert.NoFileExists(t, dir+"/begun")
	})
}

// cable is a connection that breaks: cut after so many bytes written, or deaf,
// as one whose packets are dropped.
type cable struct {
	net.Conn
	left   int64
	before func() // it is cut
	deaf   atomic.Bool
}

func (c *cable) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	c.Conn = conn
	return c, err
}

func (c *cable) Write(p []byte) (int, error) {
	if c.deaf.Load() {
		return len(p), nil
	}
	if c.left -= int64(len(p)); c.left < 0 {
		c.before()
		// Not Close: a reset would take back what has arrived and is not read.
		_ = c.Conn.(*net.TCPConn).CloseWrite()
		return 0, errors.New("cable cut")
	}
	return c.Conn.Write(p)
}

func (c *cable) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || !c.deaf.Load() {
			return n, err
		}
	}
}
