package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"labctl/internal/journal"
)

func TestFailedStepIsShownWhole(t *testing.T) {
	for _, c := range []struct {
		verdict string
		shown   bool
	}{{"fail", true}, {"error", true}, {"pass", false}} {
		var out strings.Builder
		p := newProgress(&out, false)
		p.event(journal.Event{Type: journal.StepStarted, Step: "init", Title: "Start"})
		p.event(journal.Event{Type: journal.StepOutput, Step: "init", Node: "cp", Attempt: 1, Script: "kubeadm init", Stderr: "no disk", Exit: 1, Verdict: c.verdict})
		p.event(journal.Event{Type: journal.StepDone, Step: "init", Title: "Start", Verdict: c.verdict})
		for _, text := range []string{"on cp:", "kubeadm init", "no disk", "exit 1"} {
			assert.Equal(t, c.shown, strings.Contains(out.String(), text), "%s: %q in %s", c.verdict, text, out.String())
		}
	}
}

// "It does not hold" says nothing to whoever wrote the claim: what it looked for is
// shown, too.
func TestClaimThatDoesNotHoldIsShownWithItsChecks(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, false)
	p.event(journal.Event{Type: journal.StepStarted, Step: "ping", Title: "Ping"})
	p.event(journal.Event{
		Type: journal.StepOutput, Step: "ping", Node: "cp", Attempt: 1, Script: "ping", Verdict: "fail",
		Checks: []journal.CheckResult{{Verdict: "pass", Want: "exit code 0"}, {Verdict: "fail", Want: "claim C2: what it says", Got: "it does not hold", Claim: "C2"}},
		Claims: []journal.ClaimResult{
			{ID: "C", Says: "fail", Checks: []journal.CheckResult{{Verdict: "fail", Side: "says", Want: "another claim's"}}},
			{ID: "C2", Says: "fail", Checks: []journal.CheckResult{
				{Verdict: "pass", Side: "says", Want: "stdout is not empty"},
				{Verdict: "fail", Side: "says", Want: `stdout contains "2 received"`, Got: "1 received"},
			}},
		},
	})
	p.event(journal.Event{Type: journal.StepDone, Step: "ping", Title: "Ping", Verdict: "fail"})
	assert.Contains(t, out.String(), `    pass  exit code 0
    fail  claim C2: what it says
            got: it does not hold
      fail  says: stdout contains "2 received"
              got: 1 received
`)
	assert.NotContains(t, out.String(), "not empty")
	assert.NotContains(t, out.String(), "another claim's")
}
