package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
)

// servedLab changes a rule, waits to be let go on, and ends with a claim that is wrong.
const servedLab = `
steps:
  - {id: first, title: Look around, on: all, run: echo here, checks: [{stdout: {equals: here}}]}
  - id: rule
    title: Make a rule
    on: a
    root: true
    explain: It drops what nobody sends.
    run: iptables -w -A INPUT -s 192.0.2.1 -j DROP
  - id: wait
    title: Wait to be let go
    on: a
    run: until [ -e /tmp/go ]; do sleep 0.05; done; echo gone
    timeout: 2m
    claims: [{id: C1, where: section 1, text: It stays., says: [{stdout: {equals: stays}}], shows: [{stdout: {equals: gone}}], otherwise: wrong, because: It goes.}]
teardown:
  - {id: back, title: Put it back, on: a, root: true, run: 'iptables -w -D INPUT -s 192.0.2.1 -j DROP; rm -f /tmp/go; sleep 1'}
`

func TestServe(t *testing.T) {
	g := hostsGround(t)
	file := labFile(t, "served", servedLab)
	letGo := func() { g.look(t, "a", "touch /tmp/go") }
	starts := func(args ...string) *session { return g.start(t, append([]string{"serve"}, args...)...) }

	t.Run("a run", func(t *testing.T) {
		s := starts(file, "--every", "300ms")
		b := g.looks(t, s)
		b.sees("list", `data-key="steps/wait"`) // what is ahead
		b.sees("at", `^steps/wait$`)
		b.sees("list", `(?s)v-pass.*Make a rule.*v-running.*Wait to be let go`)
		b.sees("node-0", `class="new">.*filter -A INPUT -s 192\.0\.2\.1/32 -j DROP`)
		b.sees("node-1", `<h2>b</h2>`)
		assert.Contains(t, b.get("step?key=steps/rule"), "It drops what nobody sends.")
		before := b.get("step?key=steps/wait")
		assert.Contains(t, before, "it runs …")
		assert.NotContains(t, before, "It goes.")
		letGo()
		b.sees("at", `^end$`)
		b.sees("head", `v-pass">pass<`)
		after := b.get("step?key=steps/wait")
		assert.Contains(t, after, "It goes.")
		assert.Contains(t, after, `v-wrong">wrong<`)
		assert.Contains(t, b.get("report/"), "Claims")
		select {
		case <-s.ended:
			require.Fail(t, "the page stays")
		case <-time.After(300 * time.Millisecond):
		}
		s.send(t, syscall.SIGINT)
		b.sees("bye", "x")
		assert.Equal(t, exitOK, s.wait(t), "%s", &s.said)
		assert.Contains(t, s.said.String(), "the page stays until Ctrl-C\n")
		assert.Contains(t, s.said.String(), "lab served: pass")
		g.untouched(t)
		r := g.result(t, "served")
		assert.Equal(t, "pass", r.Verdict)
		assert.Equal(t, journal.Restored, r.Restore.Verdict)
		content, err := os.ReadFile(g.latest("served"))
		require.NoError(t, err)
		assert.NotContains(t, string(content), "nf_conntrack", "looking is no part of the record")
	})
	t.Run("one that has ended", func(t *testing.T) {
		s := begin(t, g.command(t, "serve", "--follow", "served"))
		b := g.looks(t, s)
		b.sees("at", `^end$`)
		b.sees("list", `(?s)Look around.*Put it back`)
		assert.Contains(t, b.get("step?key=steps/wait"), "It goes.")
		assert.Empty(t, b.parts["node-0"], "there is nothing to look at")
		s.send(t, syscall.SIGINT)
		assert.Equal(t, exitOK, s.wait(t), "%s", &s.said)
		out := g.exits(t, exitOK, "serve", "--follow", g.folder("served"), "--exit")
		assert.Regexp(t, pageURL, out)
	})
	t.Run("one that another process does, interrupted", func(t *testing.T) {
		run := g.start(t, "run", file)
		run.when(t, func() bool {
			return strings.Contains(journalText(g.latest("served")), `"step":"wait"`) && !strings.Contains(journalText(g.latest("served")), "run-done")
		})
		s := starts("--follow", "served", "--exit", "--every", "300ms")
		b := g.looks(t, s)
		b.sees("at", `^steps/wait$`)
		b.sees("node-0", `192\.0\.2\.1/32`)
		run.send(t, syscall.SIGINT)
		b.sees("at", `^teardown/back$`)
		assert.Equal(t, 130, run.wait(t), "%s", &run.said)
		b.sees("at", `^end$`)
		b.sees("bye", "x")
		assert.Equal(t, exitOK, s.wait(t), "%s", &s.said)
		g.untouched(t)
	})
	t.Run("interrupted", func(t *testing.T) {
		s := starts(file, "--every", "0", "--exit")
		b := g.looks(t, s)
		b.sees("at", `^steps/wait$`)
		s.send(t, syscall.SIGINT)
		b.sees("at", `^teardown/back$`) // the page is there for the teardown
		b.sees("at", `^end$`)
		b.sees("bye", "x")
		assert.Equal(t, 130, s.wait(t), "%s", &s.said)
		assert.Empty(t, b.parts["node-0"])
		g.untouched(t)
	})
	t.Run("led", func(t *testing.T) {
		cmd := withInput(g.here(t, "serve", file, "--step", "--exit"), "\n\nq\n")
		out := exitsWith(t, cmd, exitOK)
		assert.Contains(t, out, "step 2 of 3: rule: Make a rule")
		assert.Regexp(t, pageURL, out)
		g.untouched(t)
	})
	t.Run("what cannot be looked at", func(t *testing.T) {
		out := g.runs(t, exitError, "serve", labFile(t, "bad", "steps: nonsense\n"))
		assert.Contains(t, out, "error: ")
		assert.NotContains(t, out, "the page stays")
	})
}
