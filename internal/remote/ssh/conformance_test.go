package ssh_test

import (
	"testing"

	"labctl/internal/remote"
	"labctl/internal/remote/remotetest"
)

func TestConformanceAsRoot(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	remotetest.Run(t, func(t *testing.T) remote.Conn { return dial(t, s.target) }, remotetest.Guest)
}

func TestConformanceAsUserWithSudo(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	remotetest.Run(t, func(t *testing.T) remote.Conn { return dial(t, s.as("tester")) }, remotetest.Guest, remotetest.Sudo)
}
