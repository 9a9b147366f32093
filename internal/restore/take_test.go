package restore

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
	"labctl/internal/remote/memory"
)

// pairOf returns two nodes that answer the scripts, and how to reach them.
func pairOf(t *testing.T) (cp, worker *memory.Conn, conn func(context.Context, string) (remote.Conn, error)) {
	t.Helper()
	cp, worker = memory.New(), memory.New()
	for _, n := range []*memory.Conn{cp, worker} {
		n.On(nodeScript, memory.Answer{Output: remote.Output{Stdout: []byte(raw(t, "node.raw"))}})
	}
	cp.On(apiScript, memory.Answer{Output: remote.Output{Stdout: []byte(raw(t, "api.raw"))}})
	return cp, worker, func(_ context.Context, node string) (remote.Conn, error) {
		switch node {
		case "cp":
			return cp, nil
		case "worker":
			return worker, nil
		}
		return nil, errors.New("no such node")
	}
}

func TestTake(t *testing.T) {
	cp, worker, conn := pairOf(t)
	f, err := Take(t.Context(), []string{"cp", "worker"}, "cp", conn, time.Minute)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), f.Time, time.Minute)
	require.Len(t, f.Sections, 18+18+9)
	require.Equal(t, "cp", f.Sections[0].Node)
	require.Equal(t, "worker", f.Sections[18].Node)
	require.Equal(t, Cluster, f.Sections[36].Node)
	require.Contains(t, f.section(t, "worker", Sysctls).Lines, "net.ipv4.ip_forward = 1")
	require.Len(t, cp.Calls(), 2)
	require.Len(t, worker.Calls(), 1)
	for _, call := range append(cp.Calls(), worker.Calls()...) {
		require.True(t, call.Command.Root)
		require.Equal(t, time.Minute, call.Command.Timeout)
	}
	again, err := Take(t.Context(), []string{"cp", "worker"}, "cp", conn, time.Minute)
	require.NoError(t, err)
	require.Empty(t, differences(f, again))
}

func TestTakeWithoutControlPlane(t *testing.T) {
	_, _, conn := pairOf(t)
	f, err := Take(t.Context(), []string{"worker"}, "", conn, time.Minute)
	require.NoError(t, err)
	require.Equal(t, []string{"not looked at: the topology has no control plane"}, f.section(t, Cluster, API).Lines)
}

func TestTakeError(t *testing.T) {
	tests := map[string]struct {
		answer memory.Answer
		want   string
	}{
		"a script that fails":   {memory.Answer{Output: remote.Output{Exit: 4, Stderr: []byte("a\nb\nc\nd\n")}}, "the script ended with 4: b; c; d"},
		"one that says nothing": {memory.Answer{Output: remote.Output{Exit: 1}}, "the script ended with 1: it said nothing"},
		"half an output":        {memory.Answer{Output: remote.Output{Stdout: []byte("\x1esysctls\n")}}, "the output has no end"},
		"a section too few":     {memory.Answer{Output: remote.Output{Stdout: []byte("\x1eend\n")}}, `the output has no section "sysctls"`},
		"no interfaces":         {memory.Answer{Output: remote.Output{Stdout: []byte("\x1einterfaces\n{\x1eend\n")}}, "reading interfaces: unexpected end of JSON input"},
		"too long a time":       {memory.Answer{After: time.Hour}, "the script took longer than 1m0s"},
		"too much":              {memory.Answer{Output: remote.Output{Stdout: make([]byte, remote.MaxOutput+7)}}, "the script printed more than is kept: 7 bytes are missing"},
		"a lost connection":     {memory.Answer{Err: remote.ErrLost}, "connection lost"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, worker, conn := pairOf(t)
				worker.On(nodeScript, test.answer)
				f, err := Take(t.Context(), []string{"cp", "worker"}, "cp", conn, time.Minute)
				require.EqualError(t, err, `taking fingerprint of node "worker": `+test.want)
				require.Empty(t, f)
			})
		})
	}
	t.Run("no such node", func(t *testing.T) {
		_, _, conn := pairOf(t)
		_, err := Take(t.Context(), []string{"other"}, "cp", conn, time.Minute)
		require.EqualError(t, err, `taking fingerprint of node "other": no such node`)
	})
	t.Run("kube-proxy's objects", func(t *testing.T) {
		cp, _, conn := pairOf(t)
		cp.On(apiScript, memory.Answer{Output: remote.Output{Stdout: []byte("\x1eobjects\nConfigMap\tkube-system\tkube-proxy\tx\n\x1eend\n")}})
		_, err := Take(t.Context(), nil, "cp", conn, time.Minute)
		require.ErrorContains(t, err, `reading ConfigMap "kube-system/kube-proxy": invalid character`)
	})
}
