package ssh

import (
	"bytes"
	"io"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
)

// The command line is for a POSIX shell and bash alone, so it can be seen here
// what becomes of input that is cut off at any byte: nothing.
func TestScriptThatArrivesInPart(t *testing.T) {
	s := newScript(remote.Command{Script: "echo one\necho two", Env: map[string]string{"v": "x"}}, "id", false)
	all, err := io.ReadAll(s.stdin)
	require.NoError(t, err)
	run := func(input []byte) (string, int) {
		cmd := exec.Command("sh", "-c", s.line)
		cmd.Stdin = bytes.NewReader(input)
		out, err := cmd.Output()
		if err != nil && cmd.ProcessState == nil {
			require.NoError(t, err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	out, exit := run(all)
	assert.Equal(t, "labctl-id\none\ntwo\n", out)
	assert.Zero(t, exit)
	for _, cut := range []int{0, 1, len(all) / 2, len(all) - 10, len(all) - 1} {
		out, exit := run(all[:cut])
		assert.Empty(t, out, "%d bytes", cut)
		assert.Equal(t, 125, exit, "%d bytes", cut)
	}
}

// The command line does not grow with what it carries, and is one that any
// login shell understands.
func TestCommandLine(t *testing.T) {
	long := string(bytes.Repeat([]byte("x'\n!"), 1<<20))
	s := newScript(remote.Command{Script: long, Env: map[string]string{"v": "'!\n"}, Root: true}, newID(), true)
	assert.Less(t, len(s.line), 600)
	assert.NotContains(t, s.line, "\n")
	assert.NotContains(t, s.line, "!")
	assert.Contains(t, s.line, " exec sudo -n env ")
}
