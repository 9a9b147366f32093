package labrun

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/lab"
)

// cells is a lab whose table has a row that passes, and two that have what the
// cluster says of them checked; EXPECT of the last is what it does not say.
const cells = `vars: {WORD: hello}
steps:
  - {id: zero, title: t, on: a, run: say zero, capture: {Z: '(.*)'}}
  - table: cells
    title: The cells
    rows:
      - {CELL: one, EXPECT: lives}
      - {CELL: two, EXPECT: lives}
      - {CELL: three, EXPECT: dies}
      - {CELL: four, EXPECT: lives}
    steps:
      - {id: 'watch-${CELL}', title: 'Watch ${CELL}', on: a, run: 'watch $CELL', background: {ready: 'listening for ${CELL}'}}
      - id: ask-${CELL}
        title: Ask ${CELL}
        on: a
        run: "say $WORD $CELL\nsay key $Z-$CELL\nsay it lives"
        capture: {FOUND: '^hello (\w+)', PASSWORD: {pattern: 'key (\S+)', secret: true}}
        checks: [{stdout: {matches: '^it ${EXPECT}$'}}]
        claims:
          - {id: 'A-${CELL}', where: w, text: t, says: [{value: {of: '${FOUND}', equals: '${CELL}'}}]}
      - id: watched-${CELL}
        title: What ${CELL} was
        stop: watch-${CELL}
        checks: [{stdout: {equals: 'listening for ${FOUND}'}}]
` + tidy

func TestRunOfATable(t *testing.T) {
	cl := newCluster()
	var groups []string
	r := cl.runner(t)
	r.Listen = func(e journal.Event) {
		if e.Type == journal.StepStarted {
			groups = append(groups, e.Group)
		}
	}
	result, dir, err := r.Lab(t.Context(), source(t, cells), Options{})
	require.NoError(t, err)
	assert.Equal(t, ExitFailed, result.ExitCode)
	assert.Equal(t, journal.Restored, result.Restore.Verdict)
	assert.Equal(t, []string{"", "The cells"}, groups[:2])

	require.Len(t, result.Tables, 1)
	table := result.Tables[0]
	assert.Equal(t, []string{"CELL", "EXPECT"}, table.Columns)
	assert.Equal(t, []string{"FOUND", "PASSWORD"}, table.Captures)
	var verdicts, at []string
	for _, row := range table.Rows {
		verdicts, at = append(verdicts, row.Verdict), append(at, row.At)
	}
	assert.Equal(t, []string{"pass", "pass", "fail", "not run"}, verdicts)
	assert.Equal(t, []string{"", "", "ask-three", ""}, at)
	assert.Equal(t, map[string]string{"FOUND": "two", "PASSWORD": journal.Masked}, table.Rows[1].Captured)
	assert.Equal(t, map[string]string{"CELL": "three", "EXPECT": "dies"}, table.Rows[2].Values)
	assert.Equal(t, []string{"watch-two", "ask-two", "watched-two"}, table.Rows[1].Steps)
	assert.Positive(t, table.Rows[0].Seconds)

	// What a row has is its own.
	for _, call := range cl.node.Calls() {
		if strings.HasPrefix(call.Command.Script, "unset") {
			assert.Equal(t, map[string]string{"WORD": "hello", "Z": "zero"}, call.Command.Env)
		}
	}

	// The journal alone has all of it, and names the row once at each end of a step.
	folder, err := journal.OpenFolder(dir)
	require.NoError(t, err)
	events, err := folder.Events()
	require.NoError(t, err)
	assert.Equal(t, result.Tables, journal.Fold(events).Tables)
	for _, e := range events {
		inRow := strings.HasSuffix(e.Step, "-two") && (e.Type == journal.StepStarted || e.Type == journal.StepDone)
		if inRow {
			assert.Equal(t, "cells", e.Table)
			assert.Equal(t, 2, e.Row)
		} else if e.Row == 2 {
			t.Errorf("%s %s has a row", e.Type, e.Step)
		}
	}

	// Judged again by the lab's file.
	again, err := Judge(folder, source(t, cells).Lab)
	require.NoError(t, err)
	for i, row := range again.Tables[0].Rows {
		assert.Equal(t, verdicts[i], row.Verdict)
	}
	assert.Equal(t, "holds", string(again.Claims[1].Verdict), "%s", again.Claims[1].ID)
	lenient, err := Judge(folder, source(t, strings.Replace(cells, "EXPECT: dies", "EXPECT: lives", 1)).Lab)
	require.NoError(t, err)
	assert.Equal(t, "not run", lenient.Tables[0].Rows[2].Verdict, "its last step never ran")
	assert.Equal(t, "watched-three", lenient.Tables[0].Rows[2].At)
}

func TestPartOfATable(t *testing.T) {
	lenient := strings.Replace(cells, "EXPECT: dies", "EXPECT: lives", 1)
	cl := newCluster()
	r := cl.runner(t)
	result, _, err := r.Lab(t.Context(), source(t, lenient), Options{Until: "watched-one", Keep: KeepAlways})
	require.NoError(t, err)
	assert.Equal(t, "pass", result.Tables[0].Rows[0].Verdict)
	assert.Equal(t, "skipped", result.Tables[0].Rows[1].Verdict)

	_, _, err = r.Lab(t.Context(), source(t, lenient), Options{From: "ask-two"})
	assert.ErrorContains(t, err, `step "watched-two" stops step "watch-two", which is left out`)
	result, _, err = r.Lab(t.Context(), source(t, lenient), Options{From: "watch-two"})
	require.NoError(t, err)
	assert.Equal(t, ExitPassed, result.ExitCode, "%s", result.Error)
	assert.Equal(t, "pass", result.Tables[0].Rows[3].Verdict)
}

const twoSteps = `steps:
  - table: cells
    title: The cells
    rows: [{CELL: one}, {CELL: two}]
    steps:
      - {id: 'ask-${CELL}', title: t, on: a, run: 'say $CELL', capture: {FOUND: '(.*)'}}
      - {id: 'use-${CELL}', title: t, on: a, run: 'say got $FOUND', checks: [{stdout: {equals: 'got ${CELL}'}}]}
` + tidy

// A run that goes on in the middle of a row has what that row captured, and no
// other row's.
func TestGoOnWithinARow(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	_, _, err := r.Lab(t.Context(), source(t, twoSteps), Options{Until: "ask-two", Keep: KeepAlways})
	require.NoError(t, err)
	for _, keep := range []Keep{KeepAlways, KeepNever} { // and one that goes on with that
		result, dir, err := r.Lab(t.Context(), source(t, twoSteps), Options{From: "use-two", Keep: keep})
		require.NoError(t, err)
		assert.Equal(t, ExitPassed, result.ExitCode)
		folder, err := journal.OpenFolder(dir)
		require.NoError(t, err)
		judged, err := Judge(folder, source(t, twoSteps).Lab)
		require.NoError(t, err)
		assert.Equal(t, "pass", judged.Verdict, "without the others")
	}

	_, _, err = r.Lab(t.Context(), source(t, twoSteps), Options{Until: "ask-one", Keep: KeepAlways})
	require.NoError(t, err)
	_, _, err = r.Lab(t.Context(), source(t, twoSteps), Options{From: "use-two"})
	assert.ErrorContains(t, err, `step "use-two" uses FOUND, which step "ask-two" captures`)
}

// An act at a step of a row is tried with that row's values.
func TestSabotageOfARow(t *testing.T) {
	s := source(t, `steps:
  - {id: make, title: t, on: a, run: "set one\nset two"}
  - table: cells
    title: The cells
    rows: [{CELL: one}, {CELL: two}]
    steps:
      - {id: 'name-${CELL}', title: t, on: a, run: 'say $CELL', capture: {FOUND: '(.*)'}}
      - {id: 'look-${CELL}', title: t, on: a, run: look, checks: [{stdout: {matches: '^${FOUND}$'}}]}
teardown:
  - {id: td, title: t, on: a, run: "unset one\nunset two"}
`)
	acts, err := lab.ParseSabotage("sabotage.yaml", []byte(`apiVersion: labctl/v1
kind: Sabotage
lab: x
acts:
  - {id: own, title: Its word goes, at: look-two, on: a, run: unset two, undo: set two, catches: check 1}
  - {id: other, title: The word of another row goes, at: look-two, on: a, run: unset one, undo: set one, catches: check 1}
`), s.Lab)
	require.NoError(t, err)
	_, tried, _, err := newCluster().runner(t).Sabotage(t.Context(), s, acts, Options{})
	require.NoError(t, err)
	require.Len(t, tried, 2)
	assert.Equal(t, ActCaught, tried[0].Verdict, tried[0].Detail)
	assert.Equal(t, ActMissed, tried[1].Verdict)
	assert.Empty(t, acts.Uncaught(s.Lab))
}
