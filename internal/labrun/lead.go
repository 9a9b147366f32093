package labrun

import (
	"context"
	"errors"
	"fmt"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/remote"
	"labctl/internal/runner"
)

// Instructor is whoever leads a run step by step, as the edge lets them speak.
// What there is to say to them comes as events.
type Instructor interface {
	// Ask waits for an order that makes sense at this turn. It returns when ctx ends.
	// Any error means that nobody will answer any more, as at the end of input.
	Ask(ctx context.Context, at Turn) (Order, error)
	// Shell opens a shell on a node, with the variables of the command and as root if
	// it says so, and returns when it was left. It has no other script.
	Shell(ctx context.Context, node string, as remote.Command) error
}

// Order is what an instructor wants. The zero value runs the next step, and ends
// the plan when all are through.
type Order struct {
	// Act is one of those of the journal; empty runs the next step.
	Act string
	// Node is where a shell is opened.
	Node string
	// To is the step before which a run that runs on waits again, if no step fails;
	// empty for none.
	To string
}

// LeftError says that the input of a led run ended before its steps.
type LeftError struct{ Lab, Step string }

func (e *LeftError) Error() string {
	return fmt.Sprintf("leading lab %q: the input ended before step %q", e.Lab, e.Step)
}

// Hint says how the input should end.
func (e *LeftError) Hint() string {
	return "end the input with g, to run all that is left, or with q"
}

// lead is a run that an instructor leads.
type lead struct {
	*run
	chosen map[string]bool
	// runsOn tells that nothing is asked before the step to; empty is none.
	runsOn bool
	to     string
	// ended is how the instructor ended the run; empty if that was not said.
	ended string
	err   error
}

// keeps tells whether the cluster stays as it is: what an instructor says comes
// before what the options do.
func (l *lead) keeps(asked bool) bool {
	if l == nil || l.ended == "" {
		return asked
	}
	return l.ended == journal.LedKeep
}

// led runs the steps, as their instructor says if there is one.
func (a *run) led(ctx context.Context, o Options, chosen map[string]bool) (plan.Verdict, error) {
	if !o.Led {
		return a.runSteps(ctx, a.lab.Steps, false)
	}
	a.lead = &lead{run: a, chosen: chosen}
	a.engine.Pace = a.lead.pace
	defer func() { a.engine.Pace = nil }()
	verdict, err := a.runSteps(ctx, a.lab.Steps, false)
	return verdict, errors.Join(err, a.lead.err)
}

// pace is the engine's, until a choice is made.
func (l *lead) pace(ctx context.Context, at runner.Turn) runner.Choice {
	if l.runsOn && !at.Failed && at.Next != nil && at.Next.ID != l.to {
		return runner.Go
	}
	l.runsOn = false
	turn := l.turn(at)
	for {
		order, err := l.ask(ctx, turn)
		switch {
		case ctx.Err() != nil:
			return runner.End
		case err != nil:
			l.nobody(at)
			return runner.End
		case order.Act == journal.LedShell:
			l.shell(ctx, turn, order.Node)
			continue
		}
		return l.choose(turn, order)
	}
}

// errNoInstructor: a led run without an instructor has nobody to ask.
var errNoInstructor = errors.New("nobody leads the run")

func (l *lead) ask(ctx context.Context, at Turn) (Order, error) {
	if l.Instructor == nil {
		return Order{}, errNoInstructor
	}
	return l.Instructor.Ask(ctx, at)
}

func (l *lead) choose(at Turn, o Order) runner.Choice {
	switch o.Act {
	case journal.LedAgain:
		l.did(o.Act, at.Last)
		return runner.Again
	case journal.LedSkip:
		l.did(o.Act, at.Next)
		return runner.Skip
	case journal.LedEnd, journal.LedKeep:
		l.ended = o.Act
		l.did(o.Act, at.Next)
		return runner.End
	case journal.LedRunOn:
		l.runsOn, l.to = true, o.To
		l.tell(journal.Event{Text: o.Act, Step: o.To})
	}
	if at.Failed {
		l.did(journal.LedAccept, at.Last)
	}
	return runner.Go
}

// nobody ends a run that nobody leads any more. That steps are left which nobody
// will see is an error, but for those after one that did not pass: there every run
// ends.
func (l *lead) nobody(at runner.Turn) {
	l.did(journal.LedNobody, at.Next)
	if at.Next != nil && !at.Failed {
		l.err = &LeftError{Lab: l.lab.Name, Step: at.Next.ID}
	}
}

func (l *lead) shell(ctx context.Context, at Turn, node string) {
	e := journal.Event{Text: journal.LedShell, Node: node}
	as := remote.Command{Env: l.engine.Vars}
	if at.About != nil {
		e.Step = at.About.ID
		as = remote.Command{Env: l.engine.Sees(*at.About), Root: l.runs(*at.About).Root}
	}
	began := l.now()
	err := l.Instructor.Shell(ctx, node, as)
	e.Seconds = l.now().Sub(began).Seconds()
	if err != nil {
		e.Error = err.Error()
	}
	l.tell(e)
}

// did tells what was done about a step; nil for none.
func (l *lead) did(act string, s *plan.Step) {
	e := journal.Event{Text: act}
	if s != nil {
		e.Step = s.ID
	}
	l.tell(e)
}

func (l *lead) tell(e journal.Event) {
	e.Type, e.Time = journal.Led, l.now()
	l.rec.event(l.rec.mask.Event(e))
}
