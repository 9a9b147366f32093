package provision

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
	"labctl/internal/remote/memory"
	"labctl/topology"
)

// together connects when so many have asked, and keeps what it made.
type together struct {
	all  sync.WaitGroup
	mu   sync.Mutex
	made []*memory.Conn
}

func (s *together) connect(context.Context, string, topology.Node, remote.Dial) (remote.Conn, error) {
	s.all.Done()
	s.all.Wait()
	conn := memory.New()
	conn.On("true", memory.Answer{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = append(s.made, conn)
	return conn, nil
}

// Several who ask at the same time get a channel that nobody closes under them.
func TestNodesConnAtOnce(t *testing.T) {
	c := pairCluster(t)
	s := &together{}
	c.Connect = s.connect
	nodes := c.NewNodes()
	defer nodes.Close()

	const many = 4
	s.all.Add(many)
	got := make(chan remote.Conn, many)
	for range many {
		go func() {
			conn, err := nodes.Conn(t.Context(), "cp")
			assert.NoError(t, err)
			got <- conn
		}()
	}
	var first remote.Conn
	for range many {
		conn := <-got
		if first == nil {
			first = conn
		}
		assert.Same(t, first, conn)
		_, err := conn.Run(t.Context(), remote.Command{Script: "true"})
		require.NoError(t, err)
	}
	open := 0
	for _, conn := range s.made {
		if _, err := conn.Run(t.Context(), remote.Command{Script: "true"}); err == nil {
			open++
		}
	}
	assert.Equal(t, 1, open, "those of who came too late are closed")
}

// One that was lost is replaced.
func TestNodesConnAfterALoss(t *testing.T) {
	c := pairCluster(t)
	s := &together{}
	c.Connect = s.connect
	nodes := c.NewNodes()
	defer nodes.Close()

	s.all.Add(1)
	first, err := nodes.Conn(t.Context(), "cp")
	require.NoError(t, err)
	same, err := nodes.Conn(t.Context(), "cp")
	require.NoError(t, err)
	assert.Same(t, first, same)
	s.made[0].Lose(remote.ErrLost)
	_, err = first.Run(t.Context(), remote.Command{Script: "true"})
	require.ErrorIs(t, err, remote.ErrLost)
	s.all.Add(1)
	next, err := nodes.Conn(t.Context(), "cp")
	require.NoError(t, err)
	_, err = next.Run(t.Context(), remote.Command{Script: "true"})
	require.NoError(t, err)
}
