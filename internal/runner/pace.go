package runner

import (
	"context"
	"slices"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// Turn is a moment at which a plan waits for whoever sets its pace.
type Turn struct {
	// Next is the step whose turn it is; nil when all are through.
	Next *plan.Step
	// Number is its place among the plan's steps, from 1, and Of is how many there
	// are.
	Number, Of int
	// Last is the step that was run last, nil if none was, and Verdict what it came
	// to.
	Last    *plan.Step
	Verdict plan.Verdict
	// Failed says that the last step did not pass, and that this is what the choice
	// is about: Go accepts it, and Skip means nothing.
	Failed bool
	// Running are the ids of background steps that still run on some node.
	Running []string
}

// Choice is what becomes of a plan at a turn.
type Choice int

// The choices.
const (
	// Go runs the next step, or goes on after one that did not pass. When all steps
	// are through it ends the plan.
	Go Choice = iota
	// Skip leaves the next step out.
	Skip
	// Again runs the last step once more; a background step is ended first. What it
	// comes to then is what counts. A step that stops another cannot be run again.
	Again
	// End leaves out all that was not run yet.
	End
)

// skippedByHand is why a step was skipped.
const skippedByHand = "skipped by hand"

// walk is a plan on its way.
type walk struct {
	*run
	verdicts []plan.Verdict
	last     int  // index of the step that was run last, -1 for none
	failed   bool // it did not pass, and nobody has gone on yet
	asked    bool // when all steps were through
}

// steps runs the steps in order and returns the worst of their last verdicts.
func (r *run) steps(ctx context.Context, all bool) plan.Verdict {
	w := &walk{run: r, verdicts: make([]plan.Verdict, len(r.plan.Steps)), last: -1}
	ended := false
	for i, s := range r.plan.Steps {
		choice := Go
		if !ended {
			choice = w.choose(ctx, i)
		}
		switch {
		case ended || choice == End:
			ended = true
			r.emitStep(s, journal.Event{Type: journal.StepDone, Verdict: plan.NotRun.String()})
		case choice == Skip:
			w.verdicts[i] = plan.Skipped
			r.emitStep(s, journal.Event{Type: journal.StepDone, Verdict: plan.Skipped.String(), Text: skippedByHand})
		default:
			w.do(ctx, i)
			ended = ctx.Err() != nil || w.failed && !all && r.Pace == nil
		}
	}
	if !ended {
		w.choose(ctx, len(r.plan.Steps))
	}
	return slices.Max(append(w.verdicts, plan.NotRun))
}

func (w *walk) do(ctx context.Context, i int) {
	w.verdicts[i] = w.step(ctx, w.plan.Steps[i])
	if w.verdicts[i] == plan.Skipped {
		return
	}
	w.last, w.failed = i, w.verdicts[i] > plan.Pass
}

// choose asks what becomes of a step; of none when all are through.
func (w *walk) choose(ctx context.Context, i int) Choice {
	if w.Pace == nil || w.asked {
		return Go
	}
	next := i
	for next < len(w.plan.Steps) && w.leftOut(next) {
		next++
	}
	through := next == len(w.plan.Steps)
	for {
		if !w.failed && !through && next != i {
			return Go // it is left out anyway
		}
		if ctx.Err() != nil {
			return End
		}
		choice := w.Pace(ctx, w.turn(next))
		switch {
		case ctx.Err() != nil || choice == End && (w.failed || !through):
			return End
		case choice == Again:
			if w.last >= 0 && w.plan.Steps[w.last].Stop == "" {
				w.do(ctx, w.last)
			}
		case w.failed:
			w.failed = false
		case through:
			w.asked = true
			return Go
		default:
			return choice
		}
	}
}

// leftOut tells whether a step would be skipped by itself.
func (w *walk) leftOut(i int) bool { return w.Skip != nil && w.Skip(w.plan.Steps[i].ID) != "" }

func (w *walk) turn(next int) Turn {
	t := Turn{Number: next + 1, Of: len(w.plan.Steps), Failed: w.failed}
	if next < len(w.plan.Steps) {
		t.Next = &w.plan.Steps[next]
	}
	if w.last >= 0 {
		t.Last, t.Verdict = &w.plan.Steps[w.last], w.verdicts[w.last]
	}
	for _, s := range w.plan.Steps {
		if slices.ContainsFunc(w.background[s.ID], (*background).runs) {
			t.Running = append(t.Running, s.ID)
		}
	}
	return t
}

// runs tells whether a background script has not ended.
func (b *background) runs() bool {
	select {
	case <-b.done:
		return false
	default:
		return true
	}
}
