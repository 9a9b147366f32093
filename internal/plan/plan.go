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
	// Tables are those whose rows' steps are among Steps, in their order.
	Tables []Table
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
	// has either Do, Run or Stop.
	Do string
	// Stop is the ID of an earlier background step: this step ends it on all its
	// nodes, and its output is what that one printed.
	Stop string
	// Run is bash, sent as written.
	Run string
	// Root runs the script with sudo.
	Root bool
	// Background leaves the script running while later steps run, until a step
	// stops it or the plan ends; nil means that the step waits for its end.
	Background *Background
	// Timeout limits one attempt on one node. Written for a machine with
	// hardware acceleration; the engine scales it.
	Timeout time.Duration
	// Retry runs the step again until its checks hold; the zero value means
	// once. Its limit is scaled as Timeout is.
	Retry Retry
	// Capture names variables that later steps see. Captured values are strings.
	Capture map[string]Capture
	// Checks, all of which must hold on each node.
	Checks []Check
	// Claims are the sentences of the write-up that this step's output proves or
	// refutes.
	Claims []Claim
	// Row is the row of a table that the step is of; nil for others.
	Row *Row
	// Chart says that the output is packets, and reports draw them; nil for others.
	Chart *Chart
	// Explain tells a learner what there is to see.
	Explain string
	// Hint says where to look when the step does not pass.
	Hint string
	// Pos is where the step starts, as file:line:column.
	Pos string
}

// Retry says how often and how long.
type Retry struct {
	Every time.Duration
	Limit time.Duration
	// Stay is how long the step must go on passing, tried every Every, before it
	// counts; 0 means that one pass is enough.
	Stay time.Duration
}

// Capture finds a value in stdout: the pattern's first group, or its whole match.
type Capture struct {
	Pattern
	// Secret values are masked in whatever is shown or kept of a run.
	Secret bool
}

// Background says when a background step counts as running.
type Background struct {
	// Ready must match what the script has printed so far, on stdout or stderr,
	// within the step's time limit; nil means that starting it is enough.
	Ready *Pattern
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

// ParseVerdict is the verdict that a word of a file means; a word that nobody
// knows is Error.
func ParseVerdict(word string) Verdict {
	for v := NotRun; v <= Error; v++ {
		if v.String() == word {
			return v
		}
	}
	return Error
}
