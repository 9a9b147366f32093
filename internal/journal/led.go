package journal

import (
	"time"

	"labctl/internal/plan"
)

// LedResult is what an instructor who led a run step by step did, beside running
// the next step, in order.
type LedResult struct {
	Acts []LedAct `json:"acts,omitempty"`
}

// LedAct is one of them.
type LedAct struct {
	// Act is one of the words below.
	Act string `json:"act"`
	// Step is the one that it was about: of LedRunOn the one that was run on to, of
	// LedEnd, LedKeep and LedNobody the first that was not run any more. It is empty
	// where that was none.
	Step string `json:"step,omitempty"`
	// Node is where a shell was opened, Seconds how long it was open, Error why it
	// was not, or how it was lost.
	Node    string  `json:"node,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Error   string  `json:"error,omitempty"`
	// At is when it was over, in seconds since the run began.
	At float64 `json:"at"`
}

// What an instructor does.
const (
	LedAgain  = "run again"
	LedSkip   = "skipped"
	LedAccept = "accepted" // went on after a step that did not pass
	LedShell  = "shell"
	LedRunOn  = "run on" // without being asked
	LedEnd    = "ended"
	LedKeep   = "kept" // ended, and the cluster stays as it is
	// LedNobody is the end of input.
	LedNobody = "end of input"
)

// ledAct is what an event of the type Led says.
func ledAct(e Event, began time.Time) LedAct {
	return LedAct{Act: e.Text, Step: e.Step, Node: e.Node, Seconds: e.Seconds, Error: e.Error, At: e.Time.Sub(began).Seconds()}
}

// left tells whether the instructor left a step out.
func (l *LedResult) left() bool {
	if l == nil {
		return false
	}
	for _, a := range l.Acts {
		switch a.Act {
		case LedSkip:
			return true
		case LedEnd, LedKeep, LedNobody:
			if a.Step != "" {
				return true
			}
		}
	}
	return false
}

func (f *folder) led(e Event) {
	if f.Led == nil {
		return
	}
	f.Led.Acts = append(f.Led.Acts, ledAct(e, f.Started))
	if s := f.found(e.Step); s != nil && e.Text == LedAccept {
		s.Accepted = true
	}
}

// again forgets what a step came to before it is run once more. Its attempts are
// what happened, and stay.
func (f *folder) again(s *StepResult, e Event) {
	for id := range s.Verdicts {
		delete(f.claims, id)
	}
	*s = StepResult{
		ID: s.ID, Group: s.Group, Table: s.Table, Title: s.Title, Verdict: plan.NotRun.String(), Started: e.Time,
		Attempts: s.Attempts, Runs: max(1, s.Runs) + 1,
	}
}

// found is a step of the plan at hand; nil if nothing was told of it yet.
func (f *folder) found(id string) *StepResult {
	p := f.plan()
	if p == nil {
		return nil
	}
	// One that is run again need not be the last that was told of.
	for i := len(p.Steps) - 1; i >= 0; i-- {
		if p.Steps[i].ID == id {
			return &p.Steps[i]
		}
	}
	return nil
}
