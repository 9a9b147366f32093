package memory_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
	"labctl/internal/remote/memory"
	"labctl/internal/remote/remotetest"
)

func TestConformance(t *testing.T) {
	remotetest.Run(t, func(*testing.T) remote.Conn {
		c := memory.New()
		c.When(func(remote.Command) bool { return true }, func(cmd remote.Command) memory.Answer {
			out, after := remotetest.Answer(cmd)
			return memory.Answer{Output: out, After: after}
		})
		return c
	})
}

func TestAnswersInTurn(t *testing.T) {
	c := memory.New()
	c.On("ready", memory.Answer{Output: remote.Output{Exit: 1}}, memory.Answer{})
	for i, want := range []int{1, 0, 0} {
		out, err := c.Run(context.Background(), remote.Command{Script: "ready"})
		require.NoError(t, err)
		assert.Equal(t, want, out.Exit, "run %d", i)
	}
	calls := c.Calls()
	require.Len(t, calls, 3)
	assert.Equal(t, 1, calls[0].Output.Exit)
}

func TestLaterRuleCounts(t *testing.T) {
	c := memory.New()
	c.On("id")
	c.On("id", memory.Answer{Err: errors.New("no")})
	_, err := c.Run(context.Background(), remote.Command{Script: "id"})
	assert.EqualError(t, err, "no")
}

func TestUnknownScriptIsAnError(t *testing.T) {
	c := memory.New()
	_, err := c.Run(context.Background(), remote.Command{Script: "reboot"})
	assert.ErrorContains(t, err, `no answer set for "reboot"`)
	assert.Len(t, c.Calls(), 1)
}

func TestLose(t *testing.T) {
	c := memory.New()
	c.On("id")
	c.Lose(errors.New("cable pulled"))
	_, err := c.Run(context.Background(), remote.Command{Script: "id"})
	require.ErrorIs(t, err, remote.ErrLost)
	assert.ErrorContains(t, err, "cable pulled")
}

func TestPutKeepsModeAndCopy(t *testing.T) {
	c := memory.New()
	content := []byte("abc")
	require.NoError(t, c.Put(context.Background(), "/f", 0o640, content))
	content[0] = 'x'
	assert.Equal(t, memory.File{Mode: 0o640, Content: []byte("abc")}, c.Files()["/f"])
}
