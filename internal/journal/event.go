// Package journal is the record of a run: what happened, in order, and nothing
// that could be derived from it.
package journal

import "time"

// Type of an event.
type Type string

// The types of events.
const (
	PlanStarted Type = "plan-started"
	StepStarted Type = "step-started"
	StepOutput  Type = "step-output" // one attempt on one node is over
	StepDone    Type = "step-done"
	Progress    Type = "progress" // a built-in action says what it is at
	PlanDone    Type = "plan-done"
)

// Event is one line of the journal. Fields that a type does not use are empty.
type Event struct {
	Type Type      `json:"type"`
	Time time.Time `json:"time"`
	Plan string    `json:"plan,omitempty"`
	// Group and Step name the step, Title says it for people.
	Group string `json:"group,omitempty"`
	Step  string `json:"step,omitempty"`
	Title string `json:"title,omitempty"`
	// Node, Attempt (from 1), Script and the streams are of StepOutput.
	Node    string `json:"node,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	Script  string `json:"script,omitempty"`
	// Stdout and Stderr are as they came, with bytes that are not UTF-8 written
	// as \xNN.
	Exit   int    `json:"exit,omitempty"`
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
	// TimedOut, Held and Dropped are those of remote.Output.
	TimedOut bool  `json:"timedOut,omitempty"`
	Held     bool  `json:"held,omitempty"`
	Dropped  int64 `json:"dropped,omitempty"`
	// Checks are the outcomes of StepOutput.
	Checks []CheckResult `json:"checks,omitempty"`
	// Captured, of StepDone, is what later steps see.
	Captured map[string]string `json:"captured,omitempty"`
	// Verdict and Error are of StepOutput, StepDone and PlanDone.
	Verdict string `json:"verdict,omitempty"`
	Error   string `json:"error,omitempty"`
	Hint    string `json:"hint,omitempty"`
	// Seconds is how long the attempt, the step or the plan took.
	Seconds float64 `json:"seconds,omitempty"`
	// Text is of Progress.
	Text string `json:"text,omitempty"`
}

// CheckResult is the outcome of one check, in words.
type CheckResult struct {
	Verdict string `json:"verdict"`
	Want    string `json:"want"`
	Got     string `json:"got,omitempty"`
	Pos     string `json:"pos,omitempty"`
}

// Listener receives events in order, one at a time.
type Listener func(Event)
