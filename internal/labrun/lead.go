package labrun

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/remote"
	"labctl/internal/runner"
	"labctl/internal/strictyaml"
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

// Turn is a moment at which a run waits for its instructor.
type Turn struct {
	runner.Turn
	// About is the step that is asked about: the next one, or the last if that did
	// not pass or all are through. It is nil if there is none.
	About *plan.Step
	// Nodes are where it runs, Rows how many rows its table has, if it is of one.
	Nodes []string
	Rows  int
	// Steps are the ids of all, in their order; Ahead those after the next that are
	// still to be run.
	Steps, Ahead []string
	// NeededBy is the first later step that ends the next one or uses what it
	// captures; empty if none does.
	NeededBy string
}

// To finds the step that a number or an id means, for Order.To.
func (t Turn) To(word string) (string, error) {
	id := word
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(t.Steps) {
		id = t.Steps[n-1]
	}
	switch {
	case slices.Contains(t.Ahead, id):
		return id, nil
	case slices.Contains(t.Steps, id):
		return "", fmt.Errorf("step %q is not ahead", id)
	}
	return "", fmt.Errorf("there is no step %q: %s", word, strictyaml.Suggest(word, t.Steps))
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

// turn is the engine's, with what an instructor wants to know.
func (l *lead) turn(at runner.Turn) Turn {
	t := Turn{Turn: at, About: at.Next}
	if at.Failed || at.Next == nil {
		t.About = at.Last
	}
	for i, s := range l.lab.Steps.Steps {
		t.Steps = append(t.Steps, s.ID)
		if i >= at.Number && l.chosen[s.ID] {
			t.Ahead = append(t.Ahead, s.ID)
		}
	}
	if at.Next != nil {
		t.NeededBy = l.neededBy(at.Next.ID)
	}
	if t.About == nil {
		return t
	}
	t.Nodes = l.engine.Nodes(l.runs(*t.About))
	for _, table := range l.lab.Steps.Tables {
		if t.About.Row != nil && table.ID == t.About.Row.Table {
			t.Rows = len(table.Rows)
		}
	}
	return t
}

func (l *lead) neededBy(id string) string {
	others := map[string]bool{}
	for _, s := range l.lab.Steps.Steps {
		others[s.ID] = s.ID != id
	}
	lack := l.lab.Lack(others, func(plan.Step, string) bool { return false })
	if lack == nil {
		return ""
	}
	return lack.Step.ID
}

// runs is the step whose script a step is about: that of a step that stops
// another is the other's.
func (l *lead) runs(s plan.Step) plan.Step {
	if s.Stop != "" {
		if stopped, ok := l.lab.Step(s.Stop); ok {
			return stopped
		}
	}
	return s
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
