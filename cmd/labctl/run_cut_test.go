package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/provision/private"
)

// A guest of a pair that loses its sshd, is paused, or starts again in the middle
// of a step: nobody knows what became of the step, and the pair is put back all the
// same, by its checkpoint where nothing else is left. Each way takes some two
// minutes without hardware acceleration; LABCTL_CUTS says how many are tried.
func TestRunOnAGuestThatGoesAway(t *testing.T) {
	g := smallPair(t)
	daemon, ok, err := private.Find(privateDir(filepath.Join(g.state, "pairs", "small")))
	require.NoError(t, err)
	require.True(t, ok)
	file := labFile(t, "hangs", strings.Replace(hangs, "timeout: 5m", "timeout: 30m", 1))
	virsh := func(verb string) *exec.Cmd {
		return daemon.Exec(t.Context(), "virsh", "-c", "qemu:///system", verb, "small-a")
	}
	ways := []struct {
		name string
		cut  func() *exec.Cmd
	}{
		// The answer to it is lost, too.
		{"sshd", func() *exec.Cmd { return g.guest(t, "a", "killall -KILL sshd sshd-session || true") }},
		{"suspend", func() *exec.Cmd { return virsh("suspend") }},
		{"reset", func() *exec.Cmd { return virsh("reset") }},
	}
	for _, way := range ways[:min(len(ways), number(t, "LABCTL_CUTS", 1))] {
		t.Run(way.name, func(t *testing.T) {
			s := g.hanging(t, file)
			out, err := way.cut().CombinedOutput()
			if way.name != "sshd" {
				require.NoError(t, err, "%s", out)
			}
			assert.Equal(t, exitError, s.wait(t), "%s", &s.said)
			assert.Contains(t, s.said.String(), `running step "hang" on node "a"`)
			assert.Contains(t, s.said.String(), "connection lost")
			r := g.result(t, "hangs")
			assert.Equal(t, "error", r.Verdict)
			assert.Equal(t, journal.Restored, r.Restore.Verdict)
			if way.name != "reset" { // a guest that starts again lets labctl in, and its teardown may do
				assert.Equal(t, journal.AfterCheckpoint, r.Restore.By)
			}
			g.untouched(t)
		})
	}
	g.exits(t, exitOK, "down", "small")
}
