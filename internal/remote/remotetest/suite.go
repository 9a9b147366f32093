// Package remotetest is the suite that every remote.Conn is held to: the real
// one against a real server, the in-memory twin, and whatever comes next.
package remotetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
)

// Cap is something that only some connections can show.
type Cap int

// The capabilities.
const (
	// Guest: there is a machine behind the connection, and scripts really run.
	Guest Cap = iota
	// Sudo: the login user is not root and may use sudo without a password.
	Sudo
)

// Patience is the longest that anything in the suite may take, on an emulated
// machine under load.
const Patience = 90 * time.Second

// Run holds connections to the suite. Each call of newConn makes a connection
// of its own to a node of the same kind; one without Guest must answer the
// suite's scripts as Answer says.
func Run(t *testing.T, newConn func(t *testing.T) remote.Conn, caps ...Cap) {
	s := suite{newConn: newConn, caps: map[Cap]bool{}}
	for _, c := range caps {
		s.caps[c] = true
	}
	t.Run("scripts", s.scripts)
	t.Run("refused", s.refused)
	t.Run("streaming", s.streaming)
	t.Run("flood", s.flood)
	t.Run("timeout", s.timeout)
	t.Run("cancel", s.cancel)
	t.Run("parallel", s.parallel)
	t.Run("closed", s.closed)
	t.Run("files", s.files)
	if s.caps[Guest] {
		t.Run("folders", s.folders)
		t.Run("kill", s.kill)
		t.Run("left alone", s.leftAlone)
	}
	if s.caps[Sudo] {
		t.Run("root", s.root)
	}
}

type suite struct {
	newConn func(t *testing.T) remote.Conn
	caps    map[Cap]bool
}

// run runs a command that must run.
func run(t *testing.T, c remote.Conn, cmd remote.Command) remote.Output {
	t.Helper()
	out, err := c.Run(within(t), cmd)
	require.NoError(t, err)
	return out
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	return ctx
}

func (s suite) scripts(t *testing.T) {
	conn := s.newConn(t)
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			cmd := remote.Command{Script: c.script, Env: c.env, Stdin: c.stdin}
			out := run(t, conn, cmd)
			assert.Equal(t, c.want.Exit, out.Exit)
			assert.Equal(t, string(c.want.Stdout), string(out.Stdout))
			assert.Equal(t, string(c.want.Stderr), string(out.Stderr))
			assert.Equal(t, c.want.Held, out.Held)
			assert.False(t, out.TimedOut)
			assert.Zero(t, out.Dropped)
			if s.caps[Sudo] && !c.want.Held {
				cmd.Root = true
				root := run(t, conn, cmd)
				root.Duration, out.Duration = 0, 0
				assert.Equal(t, out, root, "as root")
			}
		})
	}
}

func (s suite) refused(t *testing.T) {
	conn := s.newConn(t)
	for name, cmd := range map[string]remote.Command{
		"NUL in the script":     {Script: "echo a\x00b"},
		"NUL in a value":        {Script: silent, Env: map[string]string{"v": "a\x00b"}},
		"name with a dash":      {Script: silent, Env: map[string]string{"a-b": ""}},
		"name with a digit":     {Script: silent, Env: map[string]string{"1a": ""}},
		"empty name":            {Script: silent, Env: map[string]string{"": ""}},
		"injected":              {Script: silent, Env: map[string]string{"a=$(id)": ""}},
		"name that bash keeps":  {Script: silent, Env: map[string]string{"UID": "5"}},
		"mark of a running one": {Script: silent, Env: map[string]string{remote.Mark: "5"}},
		"negative timeout":      {Script: silent, Timeout: -1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := conn.Run(within(t), cmd)
			require.Error(t, err)
			assert.NotErrorIs(t, err, remote.ErrLost)
		})
	}
	assert.Zero(t, run(t, conn, remote.Command{Script: silent}).Exit, "the connection still works")
}

func (s suite) streaming(t *testing.T) {
	var stdout, stderr []byte
	cmd := remote.Command{
		Script: streams,
		Stdout: func(b []byte) { stdout = append(stdout, b...) },
		Stderr: func(b []byte) { stderr = append(stderr, b...) },
	}
	out := run(t, s.newConn(t), cmd)
	assert.Equal(t, out.Stdout, stdout)
	assert.Equal(t, out.Stderr, stderr)
	assert.NotEmpty(t, stdout)
	assert.NotEmpty(t, stderr)
}

func (s suite) flood(t *testing.T) {
	seen := 0
	out := run(t, s.newConn(t), remote.Command{Script: flood, Stdout: func(b []byte) { seen += len(b) }})
	assert.Equal(t, 3, out.Exit)
	assert.Equal(t, floodSize, seen)
	assert.LessOrEqual(t, len(out.Stdout), remote.MaxOutput)
	assert.Greater(t, len(out.Stdout), remote.MaxOutput-2*floodLine)
	assert.Equal(t, int64(floodSize), int64(len(out.Stdout))+out.Dropped)
	assert.Contains(t, string(out.Stdout[:floodLine]), "      1\n")
	assert.Contains(t, string(out.Stdout[len(out.Stdout)-floodLine:]), "6553600\n")
}

func (s suite) timeout(t *testing.T) {
	out := run(t, s.newConn(t), remote.Command{Script: endless, Timeout: 2 * time.Second})
	assert.True(t, out.TimedOut)
	assert.False(t, out.Held)
	assert.Equal(t, -1, out.Exit)
	assert.Equal(t, "begun\n", string(out.Stdout))
	assert.GreaterOrEqual(t, out.Duration, 2*time.Second)
	assert.Less(t, out.Duration, Patience/2)
}

func (s suite) cancel(t *testing.T) {
	ctx, cancel := context.WithCancel(within(t))
	out, err := s.newConn(t).Run(ctx, remote.Command{Script: endless, Stdout: func([]byte) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, remote.ErrLost)
	assert.Equal(t, "begun\n", string(out.Stdout))
	assert.Less(t, out.Duration, Patience/2)

	conn := s.newConn(t)
	_, err = conn.Run(ctx, remote.Command{Script: silent})
	require.ErrorIs(t, err, context.Canceled, "cancelled before it began")
	require.ErrorIs(t, conn.Put(ctx, "/tmp/labctl-never", 0o600, nil), context.Canceled)
	_, err = conn.Get(ctx, "/tmp/labctl-never")
	require.ErrorIs(t, err, context.Canceled)
}

func (s suite) parallel(t *testing.T) {
	conn := s.newConn(t)
	const n = 30
	errs := make(chan error, n)
	for range n {
		go func() {
			out, err := conn.Run(t.Context(), remote.Command{Script: streams})
			if err == nil && out.Exit != 0 {
				err = assert.AnError
			}
			errs <- err
		}()
	}
	for range n {
		assert.NoError(t, <-errs)
	}
}

func (s suite) closed(t *testing.T) {
	conn := s.newConn(t)
	_, err := conn.Run(within(t), remote.Command{Script: endless5, Stdout: func([]byte) { _ = conn.Close() }})
	require.ErrorIs(t, err, remote.ErrLost, "running when it was closed")
	_, err = conn.Run(within(t), remote.Command{Script: silent})
	require.ErrorIs(t, err, remote.ErrLost, "begun afterwards")
	require.ErrorIs(t, conn.Put(within(t), "/tmp/labctl-never", 0o600, nil), remote.ErrLost)
	_, err = conn.Get(within(t), "/tmp/labctl-never")
	require.ErrorIs(t, err, remote.ErrLost)
	assert.NoError(t, conn.Close(), "closing again")
}
