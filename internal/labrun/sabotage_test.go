package labrun

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/lab"
)

const looking = `steps:
  - {id: make, title: t, on: a, run: set rule}
  - id: look
    title: t
    on: a
    run: look
    checks:
      - stdout: {contains: rule}
      - stdout: {notContains: evil}
    claims:
      - id: C1
        where: w
        text: The rule is there.
        says: [{stdout: {matches: '^rule$'}}, {stdout: {notMatches: '^evil$'}}]
        shows: [{stdout: {matches: '^evil$'}}]
        otherwise: wrong
        because: b
teardown:
  - {id: td, title: t, on: a, run: unset rule}
`

const acts = `apiVersion: labctl/v1
kind: Sabotage
lab: x
acts:
  - {id: gone, title: The rule goes, at: look, on: a, run: unset rule, undo: set rule, catches: [check 1, C1]}
  - {id: other, title: Something that nobody looks at, at: look, on: a, run: set harmless, undo: unset harmless, catches: [check 2, C1]}
  - {id: half, title: Something that is not put right, at: look, on: a, run: set evil, undo: say sorry, catches: [check 2]}
  - {id: late, title: The step does not pass any more, at: look, on: a, run: unset rule, undo: set rule, catches: [check 1]}
  - {id: never, title: The act itself ends with an error, at: td, on: a, run: exit 1, undo: say x, catches: [check 1]}
`

func TestSabotage(t *testing.T) {
	cl := newCluster()
	s := source(t, looking)
	s.Teardown.Steps[0].Checks = s.Steps.Steps[1].Checks[1:] // so that there is something to catch
	parsed, err := lab.ParseSabotage("sabotage.yaml", []byte(acts), s.Lab)
	require.NoError(t, err)
	result, tried, _, err := cl.runner(t).Sabotage(t.Context(), s, parsed, Options{})
	require.NoError(t, err)
	assert.Equal(t, journal.Restored, result.Restore.Verdict, "whatever the acts did")
	assert.Empty(t, cl.words)
	for _, p := range result.Plans {
		for _, s := range p.Steps {
			assert.NotEmpty(t, s.ID, "an act is told as a note of its step")
		}
	}
	notes := result.Plans[0].Steps[1].Notes
	assert.Len(t, notes, 8, "what is done, and what became of it")
	assert.Contains(t, notes, "sabotage other: missed: check 2, C1 (still holds): noticed nothing")

	verdicts := map[string]string{}
	for _, c := range tried {
		verdicts[c.Act] = c.Verdict
	}
	assert.Equal(t, map[string]string{
		"gone": ActCaught, "other": ActMissed, "half": ActError, "late": ActError, "never": ActError,
	}, verdicts)
	assert.Equal(t, "check 2, C1 (still holds): noticed nothing", tried[1].Detail)
	assert.Contains(t, tried[2].Detail, `step "look" is fail when it is run again, the act undone`)
	assert.Contains(t, tried[4].Detail, `breaking at step "td": fail`)

	assert.Empty(t, parsed.Uncaught(s.Lab))
}

func TestSabotageOfAStepThatWasNotReached(t *testing.T) {
	cl := newCluster()
	s := source(t, looking)
	_, err := lab.ParseSabotage("sabotage.yaml", []byte(acts), s.Lab)
	require.Error(t, err, "step td has no checks")
	parsed := lab.Sabotage{Lab: "x", Acts: []lab.Act{{ID: "gone", At: "look"}}}
	_, tried, _, err := cl.runner(t).Sabotage(t.Context(), s, parsed, Options{Until: "make"})
	require.NoError(t, err)
	assert.Equal(t, []Caught{{Act: "gone", Step: "look", Verdict: ActError, Detail: "its step was not reached, or did not pass"}}, tried)
}

// That nobody could look is no check's merit.
func TestSabotageThatLosesTheNode(t *testing.T) {
	cl := newCluster()
	s := source(t, looking)
	parsed := lab.Sabotage{Lab: "x", Acts: []lab.Act{{ID: "deaf", At: "look", On: []string{"a"}, Run: "set deaf", Undo: "unset deaf", Checks: []int{1}}}}
	_, tried, _, err := cl.runner(t).Sabotage(t.Context(), s, parsed, Options{})
	require.NoError(t, err)
	require.Len(t, tried, 1)
	assert.Equal(t, ActError, tried[0].Verdict)
	assert.Contains(t, tried[0].Detail, "connection lost")
}

// A step that cannot pass twice looks broken whatever the act did: its claim is as
// it "usually" is then, and that is not the checks' fault.
func TestSabotageOfAStepThatPassesOnlyOnce(t *testing.T) {
	cl := newCluster()
	s := source(t, `steps:
  - id: first
    title: t
    on: a
    run: |
      look
      set once
    claims: [{id: C1, where: w, text: Nobody was here., says: [{stdout: {empty: true}}]}]
teardown:
  - {id: td, title: t, on: a, run: unset once}
`)
	parsed := lab.Sabotage{Lab: "x", Acts: []lab.Act{{ID: "gone", At: "first", On: []string{"a"}, Run: "set evil", Undo: "unset evil", Claims: []string{"C1"}}}}
	_, tried, _, err := cl.runner(t).Sabotage(t.Context(), s, parsed, Options{})
	require.NoError(t, err)
	require.Len(t, tried, 1)
	assert.Equal(t, ActError, tried[0].Verdict)
	assert.Contains(t, tried[0].Detail, `step "first" is fail when it is run again, the act undone`)
}
