package compare

import (
	"fmt"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// Diff is what is different between two runs of one lab, or of two versions of it.
type Diff struct {
	Lab    string `json:"lab"`
	Before Line   `json:"before"`
	After  Line   `json:"after"`
	// Differs says that a verdict does: the run's, a step's, a claim's, or that of
	// the restore. One that only one of the runs has differs, too.
	Differs bool `json:"differs"`
	// Told is false if none differs as far as is known, and a record has no end.
	Told   bool        `json:"told"`
	Claims []ClaimDiff `json:"claims"`
	Steps  []StepDiff  `json:"steps"`
	// Timings are of steps that passed in both and took much longer in one of them.
	Timings []Timing `json:"timings"`
	// Untimed is why times are not compared; empty if they are.
	Untimed string `json:"untimed,omitempty"`
}

// What became of a claim or a step.
const (
	Changed = "changed"
	Came    = "came"
	Went    = "went"
)

// ClaimDiff is a claim whose verdict changed, or that only one run has.
type ClaimDiff struct {
	ID string `json:"id"`
	// Where and Text are the second run's, if it has the claim.
	Where string `json:"where"`
	Text  string `json:"text"`
	// What is one of the words above.
	What   string     `json:"what"`
	Before *ClaimSeen `json:"before,omitempty"`
	After  *ClaimSeen `json:"after,omitempty"`
}

// ClaimSeen is a claim in one of the runs.
type ClaimSeen struct {
	Verdict plan.ClaimVerdict `json:"verdict"`
	// Showed is the line that decided.
	Showed string `json:"showed,omitempty"`
}

// StepDiff is a step whose verdict changed, or that only one run has.
type StepDiff struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	What  string `json:"what"`
	// Before and After are nil where the run does not have the step.
	Before *StepSeen `json:"before,omitempty"`
	After  *StepSeen `json:"after,omitempty"`
	// Script says that both ran a script, and not the same.
	Script bool `json:"script,omitempty"`
}

// StepSeen is a step in one of the runs.
type StepSeen struct {
	Verdict string `json:"verdict"`
	// Showed is why it did not pass, or the first line that it printed.
	Showed  string  `json:"showed,omitempty"`
	Seconds float64 `json:"seconds"`
}

// Timing is a step that took much longer in one of two runs.
type Timing struct {
	Step   string  `json:"step"`
	Title  string  `json:"title"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// What "much longer" is: both are needed, since a blink that took two is nothing,
// and neither are five seconds of five minutes.
const (
	leastFactor  = 1.5
	leastSeconds = 5.0
	// TimingRule says it in words.
	TimingRule = "passed in both, and one took at least 1.5 times as long as the other and at least 5 s more"
)

// UnlikeError says that two runs have nothing to compare.
type UnlikeError struct{ Before, After string }

// Error names what each is of.
func (e UnlikeError) Error() string {
	return fmt.Sprintf("comparing a run of %s with one of %s: they have nothing in common", e.Before, e.After)
}

// Hint says what can be compared.
func (UnlikeError) Hint() string { return "name two runs of one lab, or of one drill" }

// Two compares two runs. Those of different labs or drills are an UnlikeError.
func Two(before, after Run) (Diff, error) {
	if a, b := subject(before), subject(after); a != b {
		return Diff{}, UnlikeError{a, b}
	}
	d := Diff{
		Lab: after.lab(), Before: LineOf(before), After: LineOf(after),
		Claims: claimDiffs(before.Result, after.Result), Steps: []StepDiff{}, Timings: []Timing{},
		Untimed: untimed(before.Run, after.Run),
	}
	for _, s := range stepPairs(before.Result, after.Result) {
		if diff, differs := s.diff(); differs {
			d.Steps = append(d.Steps, diff)
		} else if took, differs := s.timing(); differs && d.Untimed == "" {
			d.Timings = append(d.Timings, took)
		}
	}
	d.Differs = len(d.Claims)+len(d.Steps) > 0 || d.Before.Verdict != d.After.Verdict || d.Before.Restored != d.After.Restored
	d.Told = d.Differs || before.Complete && after.Complete
	return d, nil
}

// subject is what a run is of.
func subject(r Run) string {
	name := fmt.Sprintf("lab %q", r.lab())
	if r.Run.Drill != nil {
		name = fmt.Sprintf("drill %q of %s", r.Run.Drill.ID, name)
	}
	return name
}

// untimed is why the times of two runs are not comparable; empty if they are.
func untimed(a, b journal.Run) string {
	if a.Accelerator == b.Accelerator {
		return ""
	}
	word := func(accelerator string) string {
		if accelerator == "" {
			return "an unknown accelerator"
		}
		return accelerator
	}
	return fmt.Sprintf("times on %s and on %s are not comparable", word(a.Accelerator), word(b.Accelerator))
}

func claimDiffs(before, after journal.Result) []ClaimDiff {
	all := []ClaimDiff{}
	was := map[string]journal.ClaimRow{}
	for _, c := range before.Claims {
		was[c.ID] = c
	}
	is := map[string]bool{}
	for _, c := range after.Claims {
		is[c.ID] = true
		one := ClaimDiff{ID: c.ID, Where: c.Where, Text: c.Text, What: Came, After: claimSeen(c)}
		if old, known := was[c.ID]; known {
			if old.Outcome() == c.Outcome() {
				continue
			}
			one.What, one.Before = Changed, claimSeen(old)
		}
		all = append(all, one)
	}
	for _, c := range before.Claims {
		if !is[c.ID] {
			all = append(all, ClaimDiff{ID: c.ID, Where: c.Where, Text: c.Text, What: Went, Before: claimSeen(c)})
		}
	}
	return all
}

func claimSeen(c journal.ClaimRow) *ClaimSeen { return &ClaimSeen{c.Outcome(), c.Showed} }
