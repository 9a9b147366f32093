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
