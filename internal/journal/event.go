// Package journal is the record of a run: what happened, in order, and nothing
// that could be derived from it. Every report comes from it and from it alone.
package journal

import (
	"time"

	"labctl/internal/plan"
)

// Type of an event.
type Type string

// The types of events.
const (
	RunStarted  Type = "run-started"
	PlanStarted Type = "plan-started"
	StepStarted Type = "step-started"
	StepOutput  Type = "step-output" // one attempt on one node is over
	StepDone    Type = "step-done"
	Progress    Type = "progress" // a built-in action says what it is at
	PlanDone    Type = "plan-done"
	// Compared says how the cluster differs from its baseline.
	Compared Type = "compared"
	// Interrupted is the first signal; what follows is the teardown.
	Interrupted Type = "interrupted"
	// DrillBegan is when the pair is broken and the learner's turn begins.
	DrillBegan Type = "drill-began"
	// DrillAnswered is a diagnosis.
	DrillAnswered Type = "drill-answered"
	DrillHint     Type = "drill-hint"
	// DrillDone ends the learner's turn, but for an interrupt.
	DrillDone Type = "drill-done"
	// Led is what an instructor did who leads the run step by step; running the next
	// step is none of it, nor is an interrupt.
	Led Type = "led"
	// RunDone is the last event of a run that came to its end.
	RunDone Type = "run-done"
)

// Event is one line of the journal. Fields that a type does not use are empty.
type Event struct {
	Type Type      `json:"type"`
	Time time.Time `json:"time"`
	// Run is of RunStarted.
	Run *Run `json:"run,omitempty"`
	// Phase says what the plan is to the lab.
	Phase Phase  `json:"phase,omitempty"`
	Plan  string `json:"plan,omitempty"`
	// Group and Step name the step, Title says it for people.
	Group string `json:"group,omitempty"`
	Step  string `json:"step,omitempty"`
	Title string `json:"title,omitempty"`
	// Table and Row, from 1, of StepStarted and StepDone, say which row of which
	// table the step is of.
	Table string `json:"table,omitempty"`
	Row   int    `json:"row,omitempty"`
	// Chart, of StepDone, says that the step's output is packets to draw.
	Chart *plan.Chart `json:"chart,omitempty"`
	// Node, Attempt (from 1), Script and the streams are of StepOutput.
	Node    string `json:"node,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	Script  string `json:"script,omitempty"`
	// Stdout and Stderr are as they came, with bytes that are not UTF-8 written
	// as \xNN. Of a long stream they are the beginning and the end, and Elided
	// counts the bytes left out in between; the files have all that was kept.
	Exit   int    `json:"exit,omitempty"`
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
	Elided int64  `json:"elided,omitempty"`
	// StdoutFile and StderrFile are the streams as raw bytes, secrets masked;
	// names in the run's folder, empty for what printed nothing.
	StdoutFile string `json:"stdoutFile,omitempty"`
	StderrFile string `json:"stderrFile,omitempty"`
	// TimedOut, Held and Dropped are those of remote.Output.
	TimedOut bool  `json:"timedOut,omitempty"`
	Held     bool  `json:"held,omitempty"`
	Dropped  int64 `json:"dropped,omitempty"`
	// Checks and Claims are the outcomes of StepOutput; of StepDone, Checks are
	// those that only all nodes together can tell.
	Checks []CheckResult `json:"checks,omitempty"`
	Claims []ClaimResult `json:"claims,omitempty"`
	// Captured, of StepDone, is what later steps see; secrets are masked.
	Captured map[string]string `json:"captured,omitempty"`
	// Verdicts, of StepDone, are those of the claims that the step proves.
	Verdicts map[string]plan.ClaimVerdict `json:"verdicts,omitempty"`
	// Verdict and Error are of StepOutput, StepDone, PlanDone and RunDone. Verdict
	// is also of DrillAnswered and DrillDone: pass for the right cause, and for a
	// drill that was solved.
	Verdict string `json:"verdict,omitempty"`
	Error   string `json:"error,omitempty"`
	Hint    string `json:"hint,omitempty"`
	// Seconds is how long the attempt, the step, the plan, the drill, the shell of Led
	// or the run took.
	Seconds float64 `json:"seconds,omitempty"`
	// Text is what Progress says, why a StepDone was skipped, the signal's name of
	// Interrupted, and "kept" of a RunDone that left the cluster as the steps did. Of
	// DrillAnswered it is the cause that was chosen, of DrillHint the hint, of Led
	// what was done.
	Text string `json:"text,omitempty"`
	// Stage says when a comparison was made; Differences is empty if the cluster
	// is as it was. The first comparison is the baseline's own and has none.
	Stage       Stage        `json:"stage,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
	// Remarks are what else is not as it was and need not be put back, such as a
	// kernel module that was loaded meanwhile.
	Remarks []Difference `json:"remarks,omitempty"`
	// Exitcode is that of the process, of RunDone.
	ExitCode *int `json:"exitCode,omitempty"`
}

// CheckResult is the outcome of one check, in words.
type CheckResult struct {
	Verdict string `json:"verdict"`
	Want    string `json:"want"`
	Got     string `json:"got,omitempty"`
	Pos     string `json:"pos,omitempty"`
	// Side is "says" or "shows" for a claim's check.
	Side plan.Side `json:"side,omitempty"`
	// Claim is the id of the claim of which this says that nobody can decide it.
	Claim string `json:"claim,omitempty"`
}

// ClaimResult is how a claim fares on one node's output of one attempt.
type ClaimResult struct {
	ID string `json:"id"`
	// Says and Shows are verdicts; empty where the claim has no such checks.
	Says   string        `json:"says,omitempty"`
	Shows  string        `json:"shows,omitempty"`
	Checks []CheckResult `json:"checks,omitempty"`
}

// Phase is what a plan is to its lab.
type Phase string

// The phases of a run, in their order.
const (
	Steps Phase = "steps"
	// Drill is a check of a learner's fix; there may be many, or none.
	Drill    Phase = "drill"
	Teardown Phase = "teardown"
	Repair   Phase = "repair"
)

// Stage says when the cluster was compared with its baseline.
type Stage string

// The stages at which a run compares, in their order. The first is empty of
// differences by definition; a run ends at the first of the others that is.
const (
	Baseline        Stage = "baseline"
	AfterTeardown   Stage = "teardown"
	AfterRepair     Stage = "repair"
	AfterCheckpoint Stage = "checkpoint"
)

// Difference is one piece of the cluster's state that is not as it was.
type Difference struct {
	// Node is where, or "cluster" for what the API server holds.
	Node string `json:"node"`
	// Section names the piece: "sysctl", "iptables", "configmap kube-proxy".
	Section string `json:"section"`
	// Missing lines were there at the baseline, Extra ones were not.
	Missing []string `json:"missing,omitempty"`
	Extra   []string `json:"extra,omitempty"`
}

// Listener receives events in order, one at a time.
type Listener func(Event)
