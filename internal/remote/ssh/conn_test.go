package ssh_test

import (
	"context"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
	"labctl/internal/remote/ssh"
)

func TestHostKeyIsPinned(t *testing.T) {
	s := startServer(t)
	target := s.target
	_, other, err := ssh.NewKey("")
	require.NoError(t, err)
	target.HostKey = other
	_, err = ssh.Dial(t.Context(), target, (&net.Dialer{}).DialContext)
	var mismatch *ssh.HostKeyError
	require.ErrorAs(t, err, &mismatch)
	pinned, _ := ssh.Fingerprint(other)
	shown, _ := ssh.Fingerprint(s.target.HostKey)
	assert.Equal(t, pinned, mismatch.Pinned)
	assert.Equal(t, shown, mismatch.Shown)
	assert.Contains(t, err.Error(), pinned)
	assert.Contains(t, err.Error(), shown)
	assert.NotEmpty(t, mismatch.Hint())
	assert.NotContains(t, s.log.String(), "Accepted publickey", "nobody logs in to the wrong machine")
}

func TestDialErrors(t *testing.T) {
	s := startServer(t)
	tcp := (&net.Dialer{}).DialContext
	t.Run("login key refused", func(t *testing.T) {
		target := s.target
		target.Key, _, _ = ssh.NewKey("")
		_, err := ssh.Dial(t.Context(), target, tcp)
		var refused *ssh.LoginError
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, "root", refused.User)
		assert.NotEmpty(t, refused.Hint())
	})
	t.Run("bad keys", func(t *testing.T) {
		for _, change := range []func(*ssh.Target){
			func(t *ssh.Target) { t.HostKey = "" },
			func(t *ssh.Target) { t.HostKey = "ssh-ed25519 nonsense" },
			func(t *ssh.Target) { t.Key = []byte("nonsense") },
		} {
			target := s.target
			change(&target)
			_, err := ssh.Dial(t.Context(), target, func(context.Context, string, string) (net.Conn, error) {
				assert.Fail(t, "dialled")
				return nil, io.EOF
			})
			assert.Error(t, err)
		}
	})
	t.Run("nobody listens", func(t *testing.T) {
		target := s.target
		target.Address = freePort(t)
		_, err := ssh.Dial(t.Context(), target, tcp)
		assert.ErrorContains(t, err, `connecting to "node" at 127.0.0.1`)
	})
	t.Run("a server that says nothing", func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, err := ssh.Dial(ctx, s.target, func(context.Context, string, string) (net.Conn, error) { return ours, nil })
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestScriptThatDoesNotBegin(t *testing.T) {
	s := startServer(t)
	for user, c := range map[string]struct {
		root       bool
		said, hint string
	}{
		"beggar": {true, "sudo: a password is required", "NOPASSWD"},
		"guest":  {false, "", "POSIX shell"},
	} {
		t.Run(user, func(t *testing.T) {
			_, err := dial(t, s.as(user)).Run(t.Context(), remote.Command{Script: "echo hi", Root: c.root})
			var start *ssh.StartError
			require.ErrorAs(t, err, &start)
			assert.Equal(t, 1, start.Exit)
			assert.Contains(t, start.Said, c.said)
			assert.Contains(t, start.Hint(), c.hint)
			assert.NotErrorIs(t, err, remote.ErrLost)
		})
	}
	t.Run("killed without sudo", func(t *testing.T) {
		out := run(t, dial(t, s.as("beggar")), remote.Command{Script: "setsid sleep 600 & echo hi; sleep 600", Timeout: time.Second})
		assert.True(t, out.TimedOut)
		assert.Less(t, out.Duration, 10*time.Second)
		out = run(t, dial(t, s.target), remote.Command{Script: "pgrep -u beggar sleep"})
		assert.Equal(t, 1, out.Exit, "left: %s", out.Stdout)
	})
}

func TestNoiseOfLoginFilesIsNotOutput(t *testing.T) {
	s := startServer(t)
	c := dial(t, s.as("noisy"))
	var seen []byte
	out := run(t, c, remote.Command{Script: "echo out; echo err >&2", Stdout: func(b []byte) { seen = append(seen, b...) }})
	assert.Equal(t, "out\n", string(out.Stdout))
	assert.Equal(t, "err\n", string(out.Stderr))
	assert.Equal(t, "out\n", string(seen))
	require.NoError(t, os.WriteFile(s.dir+"/f", []byte("x"), 0o644))
	got, err := c.Get(t.Context(), s.dir+"/f")
	require.NoError(t, err)
	assert.Equal(t, "x", string(got))
}

func TestLocale(t *testing.T) {
	s := startServer(t)
	c := dial(t, s.target)
	look := remote.Command{Script: "echo $LC_ALL; ls -d ./é", Env: map[string]string{"v": "é"}}
	out := run(t, c, look)
	assert.Equal(t, "C.UTF-8\n", string(out.Stdout))
	assert.Equal(t, "ls: cannot access './é': No such file or directory\n", string(out.Stderr))

	run(t, c, remote.Command{Script: "mount -t tmpfs tmpfs /usr/lib/locale"}) // in the server's namespace
	out = run(t, c, look)
	assert.Equal(t, "C\n", string(out.Stdout))
	assert.Equal(t, "ls: cannot access './'$'\\303\\251': No such file or directory\n", string(out.Stderr), "no warning")
}
