// Package plan names what is run and how it is judged: a plan is an ordered
// list of steps, a step is one script (or one built-in action) on one or more
// nodes, a check is one assertion about what the step printed.
//
// Provisioning, a lab and a teardown are plans, and one engine runs them all
// (internal/runner). Judging is pure: Check.Judge sees an Output and nothing
// else, so a recorded output is judged exactly as a live one.
package plan

import "time"

// Plan is an ordered list of steps.
type Plan struct {
	Name  string
	Title string
	Steps []Step
}

// Step is one script on one or more nodes, or one built-in action.
type Step struct {
	// ID is unique in the plan and stable over its life.
	ID    string
	Title string
	// Group heads the steps that belong together, such as "control plane";
	// empty in plans without groups.
	Group string
	// On is what the step runs on: a node's name, a role, or "all"; several
	// nodes run the script at once. Empty for actions.
	On []string
	// Do names a built-in action that the caller of the engine provides. A step
	// has either Do or Run.
	Do string
	// Run is bash, sent as written.
	Run string
	// Root runs the script with sudo.
	Root bool
	// Timeout limits one attempt on one node. Written for a machine with
	// hardware acceleration; the engine scales it.
	Timeout time.Duration
	// Retry runs the step again until its checks hold; the zero value means
	// once. Its limit is scaled as Timeout is.
	Retry Retry
	// Capture names variables that later steps see, with the pattern that finds
	// each in stdout: its first group, or the whole match. Captured values are
	// strings.
	Capture map[string]Pattern
	// Checks, all of which must hold on each node.
	Checks []Check
	// Hint says where to look when the step does not pass.
	Hint string
	// Pos is where the step starts, as file:line:column.
	Pos string
}

// Retry says how often and how long.
type Retry struct {
	Every time.Duration
	Limit time.Duration
}

// Verdict of a step, from best to worst; merging takes the worst.
type Verdict int

// The verdicts of a step.
const (
	NotRun  Verdict = iota // the plan ended before it
	Skipped                // its turn came and it did not apply
	Pass                   // all checks held
	Fail                   // a check did not hold
	Error                  // nobody could find out
)

// String returns the word that reports and files use.
func (v Verdict) String() string {
	return [...]string{"not run", "skipped", "pass", "fail", "error"}[v]
}

// Worse returns the worse of two verdicts.
func (v Verdict) Worse(w Verdict) Verdict { return max(v, w) }
