package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExec(t *testing.T) {
	g := hostsGround(t)
	on := func(words ...string) []string { return append(append([]string{"exec"}, g.on...), words...) }

	// The streams and the exit code are the command's, and it has no input.
	cmd := g.command(t, on("b", "--", "echo out; echo err >&2; cat; tty; exit 7")...)
	var out, talk bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("not for it\n"), &out, &talk
	require.Error(t, cmd.Run())
	assert.Equal(t, 7, cmd.ProcessState.ExitCode())
	assert.Equal(t, "out\nnot a tty\n", out.String())
	assert.Equal(t, "err\n", talk.String())

	// When its time is over, what it has started ends with it.
	begin := time.Now()
	said := g.exits(t, exitError, on("a", "--timeout", "300ms", "--", "echo begun; setsid sleep 777 & sleep 777")...)
	assert.Less(t, time.Since(begin), time.Minute)
	assert.Contains(t, said, "begun\n")
	assert.Contains(t, said, `error: running a command on node "a" of pair "bench": it was not done after 300ms, and was ended`)
	assert.Contains(t, said, "hint: allow more with --timeout")
	assert.Equal(t, "0\n", g.look(t, "a", remains))

	// What does not end is ended by an interrupt, too.
	s := g.start(t, "exec", "a", "sleep 778")
	s.when(t, func() bool { return strings.Contains(g.look(t, "a", remains), "sleep 778") })
	s.send(t, 15)
	assert.Equal(t, 143, s.wait(t))
	assert.Equal(t, "0\n", g.look(t, "a", remains))

	assert.Contains(t, g.exits(t, exitUsage, on("c", "--", "true")...), "hint: its nodes are: [a b]")
	assert.Contains(t, g.exits(t, exitUsage, on("--all-seats", "a", "--", "true")...), "both --all-seats and --topology")
}
