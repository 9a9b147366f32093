package journal

import (
	"cmp"
	"slices"
	"time"

	"labctl/internal/plan"
)

// Result is a run folded into what a reader wants to know.
type Result struct {
	Run     Run       `json:"run"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	// Complete is false if the journal has no RunDone: the process was killed.
	Complete bool `json:"complete"`
	ExitCode int  `json:"exitCode"`
	// Verdict is the worst of the steps and of the write-up's teardown; of a drill,
	// pass if it was solved, fail if it was given up, else error.
	Verdict string `json:"verdict"`
	// Interrupted names the signal that ended the steps.
	Interrupted string       `json:"interrupted,omitempty"`
	Error       string       `json:"error,omitempty"`
	Hint        string       `json:"hint,omitempty"`
	Seconds     float64      `json:"seconds"`
	Plans       []PlanResult `json:"plans"`
	Claims      []ClaimRow   `json:"claims,omitempty"`
	// Counts is how many claims have each verdict.
	Counts  map[plan.ClaimVerdict]int `json:"counts,omitempty"`
	Restore Restore                   `json:"restore"`
	// Tables are what became of the lab's tables, row by row.
	Tables []TableResult `json:"tables,omitempty"`
	// Drill is what became of the run's drill; nil for a run of the lab itself.
	Drill *DrillResult `json:"drill,omitempty"`
	// Led is what the instructor did; nil for a run that nobody led.
	Led *LedResult `json:"led,omitempty"`
}

// Outcome is the verdict of the whole run, also of one whose record ends early, in
// one word of those that steps have.
func (r Result) Outcome() string {
	if r.Verdict == "" && (r.Error != "" || !r.Complete) {
		return plan.Error.String()
	}
	return cmp.Or(r.Verdict, plan.NotRun.String())
}

// PlanResult is one plan of a lab.
type PlanResult struct {
	Phase   Phase        `json:"phase"`
	Name    string       `json:"name"`
	Title   string       `json:"title"`
	Verdict string       `json:"verdict"`
	Seconds float64      `json:"seconds"`
	Steps   []StepResult `json:"steps"`
}

// StepResult is one step with all its attempts. Of one that was run again, all but
// the attempts are of the last time.
type StepResult struct {
	ID    string `json:"id"`
	Group string `json:"group,omitempty"`
	// Table is the table of which the step is a row's; empty for others.
	Table    string            `json:"table,omitempty"`
	Title    string            `json:"title"`
	Verdict  string            `json:"verdict"`
	Error    string            `json:"error,omitempty"`
	Hint     string            `json:"hint,omitempty"`
	Seconds  float64           `json:"seconds"`
	Started  time.Time         `json:"started"`
	Captured map[string]string `json:"captured,omitempty"`
	// Runs is how often an instructor had it run; 0 stands for once.
	Runs int `json:"runs,omitempty"`
	// Accepted says that the instructor went on although it did not pass.
	Accepted bool                         `json:"accepted,omitempty"`
	Attempts []Attempt                    `json:"attempts,omitempty"`
	Verdicts map[string]plan.ClaimVerdict `json:"verdicts,omitempty"`
	// Checks are those that only all nodes together can tell.
	Checks []CheckResult `json:"checks,omitempty"`
	// Chart says that the output is packets to draw; nil for others.
	Chart *plan.Chart `json:"chart,omitempty"`
	// Notes are what built-in actions said.
	Notes []string `json:"notes,omitempty"`
}

// Outcome is the step's verdict. Of the step in which a record ends nobody could
// find out.
func (s StepResult) Outcome() string {
	if s.Verdict == "" && !s.Started.IsZero() {
		return plan.Error.String()
	}
	return cmp.Or(s.Verdict, plan.NotRun.String())
}

// Attempt is one attempt of a step on one node; the last of each node decides.
type Attempt struct {
	Node   string `json:"node"`
	Number int    `json:"number"`
	// Run is which of the step's runs it is of, from 2; 0 is the first.
	Run        int           `json:"run,omitempty"`
	Time       time.Time     `json:"time"`
	Verdict    string        `json:"verdict"`
	Script     string        `json:"script"`
	Exit       int           `json:"exit"`
	Stdout     string        `json:"stdout,omitempty"`
	Stderr     string        `json:"stderr,omitempty"`
	Elided     int64         `json:"elided,omitempty"`
	StdoutFile string        `json:"stdoutFile,omitempty"`
	StderrFile string        `json:"stderrFile,omitempty"`
	TimedOut   bool          `json:"timedOut,omitempty"`
	Held       bool          `json:"held,omitempty"`
	Dropped    int64         `json:"dropped,omitempty"`
	Checks     []CheckResult `json:"checks,omitempty"`
	Claims     []ClaimResult `json:"claims,omitempty"`
	Error      string        `json:"error,omitempty"`
	Seconds    float64       `json:"seconds"`
}

// ClaimRow is one claim with what became of it.
type ClaimRow struct {
	ClaimInfo
	Verdict plan.ClaimVerdict `json:"verdict"`
	// Showed is what the cluster showed: the decisive check, and what came.
	Showed string `json:"showed,omitempty"`
}

// Outcome is the claim's verdict, also where the record ends before it.
func (c ClaimRow) Outcome() plan.ClaimVerdict { return cmp.Or(c.Verdict, c.Fixed, plan.NotJudged) }

// Restore says whether the cluster is as it was, and how far it took.
type Restore struct {
	// Verdict is "restored", "not restored", "kept" (asked for), "not compared"
	// (nothing was changed, or nobody could look).
	Verdict string `json:"verdict"`
	// By is the stage after which nothing differed any more.
	By Stage `json:"by,omitempty"`
	// Left are the differences at each stage that had any.
	Left map[Stage][]Difference `json:"left,omitempty"`
	// Remarks are what is not as it was in the end, and counts as restored.
	Remarks []Difference `json:"remarks,omitempty"`
	Error   string       `json:"error,omitempty"`
}

// Outcome is its verdict; a record that ends early has none.
func (r Restore) Outcome() string { return cmp.Or(r.Verdict, NotCompared) }

// The verdicts of a restore.
const (
	Restored    = "restored"
	NotRestored = "not restored"
	Kept        = "kept"
	NotCompared = "not compared"
)

// SameDifferences tells whether two comparisons found the same.
func SameDifferences(a, b []Difference) bool {
	return slices.EqualFunc(a, b, func(x, y Difference) bool {
		return x.Node == y.Node && x.Section == y.Section && slices.Equal(x.Missing, y.Missing) && slices.Equal(x.Extra, y.Extra)
	})
}
