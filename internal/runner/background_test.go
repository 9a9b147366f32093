package runner

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/remote"
	"labctl/internal/remote/memory"
)

// listening is a plan that listens on both nodes while a runs a script. Files of
// provisioning have no such steps, so it is made by hand.
func listening(t *testing.T, script string) plan.Plan {
	t.Helper()
	pattern := func(expression string) *plan.Pattern {
		p, err := plan.NewPattern(expression)
		require.NoError(t, err)
		return &p
	}
	return plan.Plan{Name: "test", Title: "A test", Steps: []plan.Step{
		{ID: "sniff", On: []string{"all"}, Run: "sniff", Timeout: 5 * time.Second, Background: &plan.Background{Ready: pattern("listening on ${WHERE}")}},
		{ID: "act", On: []string{"a"}, Run: script, Timeout: time.Second},
		{ID: "heard", On: []string{"all"}, Stop: "sniff", Checks: []plan.Check{
			{Stdout: &plan.Text{Contains: &plan.Template{Text: "SYN"}}}, {Same: pattern(`SYN (\d+)`)},
		}},
	}}
}

// sniffs lets both nodes listen, say that they do, and hear something, until
// they are killed.
func sniffs(l *lab, said string) {
	for _, n := range l.nodes {
		n.When(func(c remote.Command) bool { return c.Script == "sniff" }, func(remote.Command) memory.Answer {
			return memory.Answer{After: time.Hour, Output: remote.Output{Stdout: []byte("SYN 7\n"), Stderr: []byte(said)}}
		})
		n.When(func(c remote.Command) bool { return c.Script == stopScript }, exit(0))
	}
}

func TestBackgroundStepsAreStoppedAndJudged(t *testing.T) {
	l := newLab()
	l.Vars = map[string]string{"WHERE": "any"}
	sniffs(l, "listening on any\n")
	verdict, err := l.Run(t.Context(), listening(t, "say x"))
	require.NoError(t, err)
	assert.Equal(t, []string{"sniff: pass", "act: pass", "heard: pass"}, l.verdicts())
	assert.Equal(t, plan.Pass, verdict)

	var heard []string
	for _, e := range l.of(journal.StepOutput) {
		if e.Step == "heard" {
			heard = append(heard, e.Node)
			assert.Equal(t, "sniff", e.Script, "the script is the one that printed it")
			assert.Equal(t, "SYN 7\n", e.Stdout)
		}
	}
	assert.ElementsMatch(t, []string{"a", "b"}, heard)
	for name, n := range l.nodes {
		asked := false
		for _, c := range n.Calls() {
			asked = asked || c.Command.Script == stopScript && c.Command.Root
		}
		assert.True(t, asked, "%s was asked to end before it was killed", name)
	}
}

func TestABackgroundStepThatIsNotReady(t *testing.T) {
	l := newLab()
	l.Vars = map[string]string{"WHERE": "any"}
	for name := range l.nodes {
		l.answer(name, func(remote.Command) memory.Answer {
			return memory.Answer{Output: remote.Output{Exit: 1, Stderr: []byte("no such device\n")}}
		})
	}
	verdict, err := l.Run(t.Context(), listening(t, "say x"))
	require.NoError(t, err)
	assert.Equal(t, plan.Error, verdict)
	assert.Contains(t, l.of(journal.StepDone)[0].Error, `it ended before it was ready (exit code 1): "no such device"`)
	assert.Equal(t, []string{"sniff: error", "act: not run", "heard: not run"}, l.verdicts())
}

// What no step stops is killed when the plan ends.
func TestNoBackgroundStepOutlivesItsPlan(t *testing.T) {
	l := newLab()
	l.Vars = map[string]string{"WHERE": "any"}
	sniffs(l, "listening on any\n")
	verdict, err := l.Run(t.Context(), listening(t, "exit 1"))
	require.NoError(t, err)
	assert.Equal(t, plan.Fail, verdict)
	for name, n := range l.nodes {
		ended := false
		for _, c := range n.Calls() {
			ended = ended || c.Command.Script == "sniff"
		}
		assert.True(t, ended, "%s still listens", name)
	}
}
