package main

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/report"
)

// hangs is a lab that changes both nodes and then hangs, with a process in a
// session of its own, and whose teardown takes a while and is not enough.
const hangs = `
steps:
  - id: change
    title: Change both nodes
    on: all
    root: true
    run: touch /tmp/changed; sysctl -w net.ipv4.ip_forward=1
  - id: hang
    title: Hang
    on: a
    timeout: 5m
    run: |
      setsid sleep 777 &
      touch /tmp/hanging
      sleep 778
  - {id: never, title: Never reached, on: a, run: touch /tmp/never}
teardown:
  - id: files
    title: Remove the files
    on: all
    root: true
    run: rm -f /tmp/changed /tmp/hanging; sleep 1
repair:
  - {id: rest, title: Undo the rest, on: all, root: true, run: sysctl -w net.ipv4.ip_forward=0}
`

// hanging starts a lab that hangs and returns when it does.
func (g *ground) hanging(t *testing.T, file string) *session {
	t.Helper()
	s := g.start(t, "run", file)
	// Between the file and the process there is a moment, on a busy machine a long one.
	s.when(t, func() bool {
		return strings.Contains(g.look(t, "a", "ls -A /tmp"), "hanging") && strings.Contains(g.look(t, "a", remains), "sleep 777")
	})
	return s
}

func TestRunInterrupted(t *testing.T) {
	g := hostsGround(t)
	file := labFile(t, "hangs", hangs)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			s := g.hanging(t, file)
			s.send(t, sig)
			assert.Equal(t, 128+int(sig), s.wait(t), "%s", &s.said)
			g.untouched(t)
			r := g.result(t, "hangs")
			assert.Equal(t, sig.String(), r.Interrupted)
			assert.Equal(t, "error", r.Verdict)
			assert.Equal(t, journal.AfterRepair, r.Restore.By)
			steps := r.Plans[0].Steps
			assert.Equal(t, "hang error, never not run", steps[1].ID+" "+steps[1].Verdict+", "+steps[2].ID+" "+steps[2].Verdict)
			for _, name := range []string{report.JUnitFile, report.JSONFile, report.HTMLFile, report.MarkdownFile} {
				assert.FileExists(t, filepath.Join(filepath.Dir(g.latest("hangs")), name))
			}
		})
	}

	// twice leaves a run in its teardown.
	twice := func(t *testing.T) {
		t.Helper()
		s := g.hanging(t, file)
		s.send(t, syscall.SIGINT)
		s.when(t, func() bool {
			all, _ := journal.Read(g.latest("hangs"))
			return slices.ContainsFunc(all, func(e journal.Event) bool { return e.Step == "files" })
		})
		s.send(t, syscall.SIGINT)
		assert.Equal(t, 130, s.wait(t))
		assert.Contains(t, s.said.String(), "`labctl teardown` pays what a lab owes")
		require.NotNil(t, g.owed(t))
		assert.Equal(t, "hangs", g.owed(t).Lab)
		for _, name := range []string{report.JUnitFile, report.JSONFile, report.HTMLFile, report.MarkdownFile} {
			assert.FileExists(t, filepath.Join(filepath.Dir(g.latest("hangs")), name), "last words")
		}
	}
	t.Run("twice, then teardown", func(t *testing.T) {
		twice(t)
		g.runs(t, exitOK, "teardown", "hangs")
		g.untouched(t)
		assert.Equal(t, "interrupt", g.result(t, "hangs").Interrupted)
	})
	t.Run("twice, then another run", func(t *testing.T) {
		twice(t)
		out := g.runs(t, exitOK, "run", labFile(t, "quick", "steps:\n  - {id: look, title: Look, on: all, run: 'ls -A /tmp', checks: [{stdout: {empty: true}}]}\nteardown:\n  - {id: nothing, title: Nothing to do, on: a, run: 'true'}\n"))
		assert.Contains(t, out, "left the cluster changed: putting it back first")
		g.untouched(t)
	})
	// A signal that comes when all that is left is the teardown.
	t.Run("in the teardown", func(t *testing.T) {
		s := g.start(t, "run", labFile(t, "late", "steps:\n  - {id: do, title: Do, on: a, run: touch /tmp/late}\nteardown:\n  - {id: slow, title: Take a while, on: a, run: sleep 2; rm /tmp/late}\n"))
		s.when(t, func() bool {
			all, _ := journal.Read(g.latest("late"))
			return slices.ContainsFunc(all, func(e journal.Event) bool { return e.Step == "slow" })
		})
		s.send(t, syscall.SIGTERM)
		assert.Equal(t, 143, s.wait(t), "%s", &s.said)
		g.untouched(t)
		assert.Equal(t, "pass", g.result(t, "late").Verdict)
	})
}

// A host that cannot be reached any more has no checkpoint to go back to: what
// is owed stays owed until it answers.
func TestRunCutOff(t *testing.T) {
	t.Parallel() // nearly all of it is waiting for signs of life
	g := hostsGround(t)
	t.Run("the session", func(t *testing.T) {
		// The script's own sshd goes, the server stays: the teardown finds a way in.
		out := g.runs(t, exitError, "run", labFile(t, "cut", `
steps:
  - {id: before, title: Before, on: a, run: touch /tmp/cut}
  - {id: cut, title: Cut the branch, on: a, run: kill -KILL $PPID; sleep 778}
  - {id: after, title: After, on: a, run: "true"}
teardown:
  - {id: files, title: Clean, on: a, run: "rm -f /tmp/cut; for p in $(pidof sleep); do kill -KILL $p; done; true"}
`))
		assert.Contains(t, out, `running step "cut" on node "a"`)
		assert.Contains(t, out, "connection lost")
		g.untouched(t)
	})
	t.Run("the port", func(t *testing.T) {
		begun := time.Now()
		out := g.runs(t, exitUnrestored, "run", labFile(t, "deaf", `
steps:
  - {id: drop, title: Drop what comes to port 22, on: a, run: "touch /tmp/deaf; iptables -I INPUT -p tcp --dport 22 -j DROP; sleep 778", timeout: 10m}
teardown:
  - {id: files, title: Clean, on: a, run: "rm -f /tmp/deaf; iptables -F INPUT"}
`))
		// 50 s until the connection counts as lost, 10 s until the node does.
		assert.Less(t, time.Since(begun), 100*time.Second)
		assert.Contains(t, out, `running step "drop" on node "a"`)
		assert.Contains(t, out, "no sign of life")
		require.NotNil(t, g.owed(t))
		assert.Equal(t, "error", g.result(t, "deaf").Verdict)
		g.look(t, "a", "iptables -F INPUT")
		g.runs(t, exitOK, "teardown")
		g.untouched(t)
	})
}
