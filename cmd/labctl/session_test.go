package main

import (
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// session is a labctl that runs, and what it has said so far.
type session struct {
	*exec.Cmd
	said  said
	ended chan struct{}
}

// said is what a process says, to be read while it speaks.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// begin starts a labctl. Unless it has streams already, both are heard.
func begin(t *testing.T, cmd *exec.Cmd) *session {
	t.Helper()
	s := &session{Cmd: cmd, ended: make(chan struct{})}
	if cmd.Stdout == nil {
		s.Stdout, s.Stderr = &s.said, &s.said
	}
	require.NoError(t, s.Start())
	go func() {
		_ = s.Wait() // its state says how it ended
		close(s.ended)
	}()
	return s
}
