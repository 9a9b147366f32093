package remotetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
)

// sleeper is the argument of a sleep that no one else sleeps.
func sleeper() string {
	n, _ := rand.Int(rand.Reader, big.NewInt(1e9))
	return fmt.Sprintf("9876.%09d", n)
}

// find is bash that prints the processes that sleep for $arg, and sends them
// $signal if it is set. A node need not have pgrep.
const find = `for f in /proc/[0-9]*; do
  { mapfile -t -d '' words <$f/cmdline; } 2>/dev/null
  [[ ${words[1]} == "$arg" && ${words[2]} == "" && ${words[0]} != *bash ]] || continue
  echo ${f#/proc/}
  if [[ $signal ]]; then kill -$signal ${f#/proc/}; fi
done`

// sleeping finds the processes, and sends them a signal if it is not empty.
func sleeping(t *testing.T, conn remote.Conn, arg, signal string) []string {
	t.Helper()
	out := run(t, conn, remote.Command{Script: find, Env: map[string]string{"arg": arg, "signal": signal}})
	return strings.Fields(string(out.Stdout))
}

// kill holds the connection to what it promises about a script that is ended:
// nothing that it started is left.
func (s suite) kill(t *testing.T) {
	conn := s.newConn(t)
	type started struct {
		script string
		sleeps int // how many are to be killed
	}
	scripts := map[string]started{
		"child":               {`sleep $arg`, 1},
		"background":          {`sleep $arg & sleep $arg & wait`, 2},
		"nested":              {`bash -c 'sleep $arg & sleep $arg'`, 2},
		"pipe":                {`sleep $arg | cat`, 1},
		"deaf":                {`trap '' TERM HUP INT; bash -c "trap '' TERM HUP INT; sleep $arg; sleep $arg"`, 1},
		"nohup":               {`nohup sleep $arg >/dev/null 2>&1 & sleep $arg`, 2},
		"setsid":              {`setsid sleep $arg & sleep $arg`, 2},
		"setsid, no output":   {`setsid sleep $arg </dev/null >/dev/null 2>&1 & sleep $arg`, 2},
		"orphan":              {`(setsid bash -c 'setsid sleep $arg & exit' &); sleep $arg`, 2},
		"session lost leader": {`(setsid bash -c 'sleep $arg & exit' &); sleep $arg`, 2},
		"no environment":      {`env -i sleep $arg & env -i setsid sleep $arg & (env -i sleep $arg &); sleep $arg`, 4},
		"forking":             {`while :; do (sleep 0.01; :) & sleep 0.02; done & sleep $arg`, 1},
		"restarting":          {`while :; do sleep $arg; done`, 1},
		"stopped":             {`sleep $arg & sleep 1; kill -STOP $!; sleep $arg`, 2},
		// A name of its own for each run: one that a killed run left behind belongs to
		// another user, who alone may write it.
		"odd name": {`odd="/tmp/x$arg) S 1 1 1"; cp "$(command -v sleep)" "$odd" && { "$odd" $arg & env -i "$odd" $arg & sleep 1; rm "$odd"; sleep $arg; }`, 3},
	}
	if s.caps[Sudo] {
		scripts["sudo"] = started{`sudo sleep $arg`, 1}
		scripts["sudo in the background"] = started{`sudo sleep $arg & sleep $arg`, 2}
		scripts["sudo and setsid"] = started{`sudo setsid sleep $arg & sleep $arg`, 2}
		scripts["sudo and orphan"] = started{`sudo bash -c 'setsid bash -c "setsid sleep $1 & exit" - $1 & exit' - $arg; sleep $arg`, 2}
	}
	for name, c := range scripts {
		for _, root := range []bool{false, true} {
			if root && !s.caps[Sudo] {
				continue
			}
			t.Run(fmt.Sprintf("%s, root %v", name, root), func(t *testing.T) {
				arg := sleeper()
				ctx, cancel := context.WithCancel(within(t))
				ready := make(chan struct{})
				go func() {
					<-ready
					for deadline := time.Now().Add(Patience); len(sleeping(t, conn, arg, "")) < c.sleeps && time.Now().Before(deadline); {
						// the script has not come to all its sleeps yet
					}
					cancel()
				}()
				script := "exec 2>/dev/null; echo begun; " + c.script
				out, err := conn.Run(ctx, remote.Command{
					Script: script, Env: map[string]string{"arg": arg}, Root: root,
					Stdout: func([]byte) { close(ready) },
				})
				require.ErrorIs(t, err, context.Canceled)
				assert.Equal(t, "begun\n", string(out.Stdout))
				assert.Empty(t, sleeping(t, conn, arg, ""))
			})
		}
	}
	t.Run("timeout", func(t *testing.T) {
		arg := sleeper()
		out := run(t, conn, remote.Command{Script: scripts["setsid"].script, Env: map[string]string{"arg": arg}, Timeout: 2 * time.Second})
		assert.True(t, out.TimedOut)
		assert.Empty(t, sleeping(t, conn, arg, ""))
	})
	t.Run("others live", func(t *testing.T) {
		mine, theirs := sleeper(), sleeper()
		run(t, conn, remote.Command{Script: `setsid sleep $arg >/dev/null 2>&1 &`, Env: map[string]string{"arg": theirs}})
		run(t, conn, remote.Command{Script: `sleep $arg`, Env: map[string]string{"arg": mine}, Timeout: time.Second})
		assert.Empty(t, sleeping(t, conn, mine, ""))
		assert.Len(t, sleeping(t, conn, theirs, "KILL"), 1)
	})
}

// leftAlone: what a script that ends leaves in the background lives on, and
// keeps no session busy.
func (s suite) leftAlone(t *testing.T) {
	conn := s.newConn(t)
	const n = 12 // more than a server gives sessions
	arg := sleeper()
	held := make(chan error, n)
	for range n {
		go func() {
			out, err := conn.Run(t.Context(), remote.Command{Script: `sleep $arg & exit 0`, Env: map[string]string{"arg": arg}})
			if err == nil && !out.Held {
				err = assert.AnError
			}
			held <- err
		}()
	}
	for range n {
		require.NoError(t, <-held)
	}
	assert.Len(t, sleeping(t, conn, arg, "KILL"), n)
}

// root: a command can be run as root, and is told from one that can not.
func (s suite) root(t *testing.T) {
	conn := s.newConn(t)
	id := func(root bool) string {
		return string(run(t, conn, remote.Command{Script: `id -u; [ "$HOME" = ~root ] && echo home`, Root: root}).Stdout)
	}
	assert.Equal(t, "0\nhome\n", id(true))
	assert.NotEqual(t, "0\nhome\n", id(false))
}
