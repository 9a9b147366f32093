package remotetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
)

// folder makes a folder on the node that goes when the test does.
func folder(t *testing.T, conn remote.Conn) string {
	b := make([]byte, 6)
	_, _ = rand.Read(b)
	env := map[string]string{"dir": "/tmp/labctl-" + hex.EncodeToString(b)}
	require.Zero(t, run(t, conn, remote.Command{Script: makeDir, Env: env}).Exit)
	t.Cleanup(func() {
		_, err := conn.Run(context.WithoutCancel(t.Context()), remote.Command{Script: dropDir, Env: env})
		assert.NoError(t, err)
	})
	return env["dir"]
}

func (s suite) files(t *testing.T) {
	conn := s.newConn(t)
	dir := folder(t, conn)
	big := make([]byte, 3<<20)
	_, _ = rand.Read(big)
	huge := bytes.Repeat([]byte("0123456789abcde\n"), 6<<16) // more than Run would keep
	for name, c := range map[string]struct {
		path    string
		content []byte
	}{
		"text":     {"/a", []byte("text\n")},
		"empty":    {"/b", nil},
		"binary":   {"/c", []byte("\x00\x01\r\n\xff" + every())},
		"big":      {"/d", big},
		"huge":     {"/e", huge},
		"odd name": {"/ -o 'd\"d\n$(id) \xe9*", []byte("odd")},
		"dash":     {"/-rf", []byte("dash")},
	} {
		t.Run(name, func(t *testing.T) {
			path := dir + c.path
			require.NoError(t, conn.Put(within(t), path, 0o640, c.content))
			got, err := conn.Get(within(t), path)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(c.content, got), "%d bytes sent, %d came back", len(c.content), len(got))
		})
	}
	t.Run("replaced", func(t *testing.T) {
		require.NoError(t, conn.Put(within(t), dir+"/a", 0o600, []byte("new")))
		got, err := conn.Get(within(t), dir+"/a")
		require.NoError(t, err)
		assert.Equal(t, "new", string(got))
	})
	t.Run("missing", func(t *testing.T) {
		_, err := conn.Get(within(t), dir+"/none")
		require.ErrorIs(t, err, fs.ErrNotExist)
		assert.ErrorContains(t, err, dir+"/none")
	})
	t.Run("no path", func(t *testing.T) {
		for _, path := range []string{"", "/tmp/", "/tmp/a\x00b"} {
			assert.ErrorIs(t, conn.Put(within(t), path, 0o600, nil), fs.ErrInvalid)
			_, err := conn.Get(within(t), path)
			assert.ErrorIs(t, err, fs.ErrInvalid)
		}
	})
}

// folders is what needs a real file system.
func (s suite) folders(t *testing.T) {
	conn := s.newConn(t)
	dir := folder(t, conn)
	in := func(script string) string {
		out := run(t, conn, remote.Command{Script: `cd "$dir" && ` + script, Env: map[string]string{"dir": dir}})
		require.Zero(t, out.Exit, "%s", out.Stderr)
		return string(out.Stdout)
	}
	for _, c := range []struct {
		mode fs.FileMode
		want string
	}{{0o644, "644"}, {0o600, "600"}, {0o755, "755"}, {0o444, "444"}, {0, "0"}, {0o777, "777"}, {0o711 | fs.ModeSetuid, "4711"}} {
		require.NoError(t, conn.Put(within(t), dir+"/mode", c.mode, []byte("x")))
		assert.Equal(t, c.want+"\n", in("stat -c %a mode"))
	}
	in("rm -f mode; echo old >real; ln -s real link; mkdir sub; echo old >kept; exec 3<kept; ln kept other")
	require.NoError(t, conn.Put(within(t), dir+"/link", 0o644, []byte("new")))
	assert.Equal(t, "old\n", in("cat real"), "what a link points to is not written")
	require.NoError(t, conn.Put(within(t), dir+"/kept", 0o644, []byte("new")))
	assert.Equal(t, "old\n", in("cat other"), "the old file is not written, another takes its name")
	require.Error(t, conn.Put(within(t), dir+"/sub", 0o644, nil), "a folder is not replaced")
	require.ErrorIs(t, conn.Put(within(t), dir+"/no/file", 0o644, nil), fs.ErrNotExist)
	_, err := conn.Get(within(t), dir+"/sub")
	require.Error(t, err, "a folder is not read")
	assert.Equal(t, "kept\nlink\nother\nreal\nsub\n", in("ls -A"), "nothing is left behind")

	require.NoError(t, conn.Put(within(t), ".labctl-remotetest", 0o600, []byte("home")), "relative to the home folder")
	in("[ -f ~/.labctl-remotetest ] && rm ~/.labctl-remotetest")
}
