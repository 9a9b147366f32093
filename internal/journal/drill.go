package journal

import (
	"time"

	"labctl/internal/plan"
)

// DrillInfo is the drill that a run is of.
type DrillInfo struct {
	ID string `json:"id"`
	// Number is its place among the drills of the lab, from 1, and Of is how many
	// there are.
	Number int `json:"number"`
	Of     int `json:"of"`
	// Title is what the learner was told, Cause what there was to find.
	Title string `json:"title"`
	Cause string `json:"cause"`
}

// DrillResult is what became of a drill. Its times are seconds since it was the
// learner's turn.
type DrillResult struct {
	DrillInfo
	// Verdict is one of the words below.
	Verdict string `json:"verdict"`
	// Diagnosed and Mended say which half was done.
	Diagnosed bool `json:"diagnosed"`
	Mended    bool `json:"mended"`
	// Answers are the diagnoses, Tries the checks of the fix, Hints what was told.
	Answers []DrillAnswer `json:"answers,omitempty"`
	Tries   []DrillTry    `json:"tries,omitempty"`
	Hints   []string      `json:"hints,omitempty"`
	Seconds float64       `json:"seconds"`
}

// DrillAnswer is one diagnosis: pass if it is the cause.
type DrillAnswer struct {
	Cause   string  `json:"cause"`
	Verdict string  `json:"verdict"`
	Seconds float64 `json:"seconds"`
}

// DrillTry is one check of the fix. Its steps are among the plans, each check a
// plan of the phase Drill.
type DrillTry struct {
	Verdict string `json:"verdict"`
	// At is the step that did not pass; empty if all did.
	At      string  `json:"at,omitempty"`
	Seconds float64 `json:"seconds"`
}

// The verdicts of a drill.
const (
	DrillSolved = "solved"
	DrillGaveUp = "given up"
	// DrillCut is one that an interrupt or a kill ended.
	DrillCut = "not ended"
	// DrillNotSet is one whose steps did not break the pair, so nobody was asked.
	DrillNotSet = "not set up"
)

// drillFold makes a result of the events of a drill.
type drillFold struct {
	DrillResult
	turn time.Time // when the learner's turn began
	done bool
}

func (d *drillFold) event(e Event) {
	seconds := e.Time.Sub(d.turn).Seconds()
	switch {
	case e.Type == DrillBegan:
		d.turn = e.Time
	case e.Type == DrillAnswered:
		d.Answers = append(d.Answers, DrillAnswer{Cause: e.Text, Verdict: e.Verdict, Seconds: seconds})
		d.Diagnosed = d.Diagnosed || e.Verdict == plan.Pass.String()
	case e.Type == DrillHint:
		d.Hints = append(d.Hints, e.Text)
	case e.Type == DrillDone:
		d.done, d.Seconds = true, e.Seconds
	case e.Type == Interrupted && !d.turn.IsZero() && !d.done:
		d.Seconds = seconds
	case e.Phase == Drill:
		d.try(e, seconds)
	}
}

func (d *drillFold) try(e Event, seconds float64) {
	if e.Type == PlanStarted {
		d.Tries = append(d.Tries, DrillTry{Verdict: plan.Error.String(), Seconds: seconds})
	}
	if len(d.Tries) == 0 {
		return
	}
	last := &d.Tries[len(d.Tries)-1]
	switch e.Type {
	case StepDone:
		if plan.ParseVerdict(e.Verdict) > plan.Pass && last.At == "" {
			last.At = e.Step
		}
	case PlanDone:
		last.Verdict = e.Verdict
		d.Mended = d.Mended || e.Verdict == plan.Pass.String()
	}
}

func (d *drillFold) finish() *DrillResult {
	r := d.DrillResult
	switch {
	case d.turn.IsZero():
		r.Verdict = DrillNotSet
	case r.Diagnosed && r.Mended:
		r.Verdict = DrillSolved
	case d.done:
		r.Verdict = DrillGaveUp
	default:
		r.Verdict = DrillCut
	}
	return &r
}
