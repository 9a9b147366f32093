package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRunRecords runs a lab that expects nothing on two hosts, answers the
// proposals, and runs it again: what was written holds for another run too.
func TestRunRecords(t *testing.T) {
	g := hostsGround(t)
	file := labFile(t, "young", `steps:
  - id: ask
    title: Ask both   # what came is another on each
    on: all
    run: |
      echo "process pid=$$ at $(date +%T)"
      echo same
  - {id: leave, title: Leave it, on: a, run: echo once}
`+nothing)
	run := g.here(t, "run", file, "--record")
	run.Stdin = strings.NewReader("y\nn\nq\n")
	out := exitsWith(t, run, exitOK)
	assert.Contains(t, out, "1 of 3 written to "+file)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(content), `
    checks:
      - stdout:
          lines:
            - {regex: 'process pid=\d+ at \d+:\d+:\d+'}
            - same
  - {id: leave, title: Leave it, on: a, run: echo once}
`)
	out = g.runs(t, exitOK, "run", file)
	assert.Contains(t, out, "3 steps: pass 3")

	g.runs(t, exitUsage, "run", file, "--record", "-o", "json")
	out = g.runs(t, exitError, "run", "conntrack-reset", "--record")
	assert.Contains(t, out, "the catalogue is part of labctl")
	g.untouched(t)
}
