package labrun

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/plan"
)

// Dialogue is whoever does a drill, as the edge lets them speak. What there is to
// say to them comes as events.
type Dialogue interface {
	// Ask waits for the next move; how far the drill is says what makes sense. It
	// returns when ctx ends. Any error means that nobody will answer any more, as at
	// the end of input.
	Ask(ctx context.Context, at Standing) (Move, error)
}

// Standing is how far a drill is.
type Standing struct {
	// Choices are the causes to choose from.
	Choices []string
	// Diagnosed and Mended say which half is done.
	Diagnosed, Mended bool
	// Hints is how many are left to tell.
	Hints int
}

// Move is what a learner does. The zero value is a wish to have the fix checked.
type Move struct {
	// Cause is a diagnosis, one of the choices.
	Cause string
	// Hint asks for one, GiveUp ends the drill.
	Hint, GiveUp bool
}

// DrillError says that the steps of a drill did not break the pair, so there was
// nothing to find.
type DrillError struct {
	Lab, Step string
	Number    int
}

func (e *DrillError) Error() string {
	return fmt.Sprintf("setting up drill %d of lab %q: step %q did not pass", e.Number, e.Lab, e.Step)
}

// Hint says where to look.
func (e *DrillError) Hint() string {
	return fmt.Sprintf("run the lab up to there: labctl run %s --until %s", e.Lab, e.Step)
}

// FindDrill finds a drill by its number or its id, with its number.
func FindDrill(l lab.Lab, word string) (lab.Drill, int, error) {
	d, number := l.Drill(word)
	if number > 0 {
		return d, number, nil
	}
	if len(l.Drills) == 0 {
		return d, 0, &SelectionError{Lab: l.Name, Text: "it has no drills", Advice: "run it without --drill, or see its steps: labctl show " + l.Name}
	}
	// An id tells too much.
	var all []string
	for i, d := range l.Drills {
		all = append(all, fmt.Sprintf("%d (%s)", i+1, d.Title))
	}
	return d, 0, &SelectionError{Lab: l.Name, Text: fmt.Sprintf("it has no drill %q", word), Advice: "its drills are " + strings.Join(all, ", ")}
}

// drillOf is what a run with these options is a drill of; nil if it is none. The
// options that come back choose the drill's steps.
func drillOf(l lab.Lab, o Options) (*lab.Drill, *journal.DrillInfo, Options, error) {
	if o.Drill == "" {
		return nil, nil, o, nil
	}
	d, number, err := FindDrill(l, o.Drill)
	if err != nil {
		return nil, nil, o, err
	}
	o.Only = d.Setup()
	return &d, &journal.DrillInfo{ID: d.ID, Number: number, Of: len(l.Drills), Title: d.Title, Cause: d.Cause}, o, nil
}

// learn is the learner's turn, on a cluster that the drill's steps have broken.
// Its error says that there was none. An interrupt is the caller's to see.
func (a *run) learn(ctx context.Context, d lab.Drill, setup plan.Verdict) error {
	if ctx.Err() != nil {
		return nil
	}
	if setup != plan.Pass {
		return a.notSet()
	}
	began := a.now()
	a.rec.event(journal.Event{Type: journal.DrillBegan, Time: began, Title: d.Title})
	at := Standing{Choices: a.lab.Causes(), Hints: len(d.Hints)}
	for !at.Diagnosed || !at.Mended {
		move, err := a.ask(ctx, at)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil || move.GiveUp {
			break
		}
		a.move(ctx, d, move, &at)
	}
	done := journal.Event{Type: journal.DrillDone, Time: a.now(), Verdict: plan.Fail.String()}
	if at.Diagnosed && at.Mended {
		done.Verdict = plan.Pass.String()
	}
	done.Seconds = done.Time.Sub(began).Seconds()
	a.rec.event(done)
	return nil
}

// errNobody: a run without a dialogue has nobody to ask.
var errNobody = errors.New("nobody does the drill")

func (a *run) ask(ctx context.Context, at Standing) (Move, error) {
	if a.Dialogue == nil {
		return Move{}, errNobody
	}
	return a.Dialogue.Ask(ctx, at)
}

func (a *run) move(ctx context.Context, d lab.Drill, m Move, at *Standing) {
	switch {
	case m.Hint && at.Hints > 0:
		hint := d.Hints[len(d.Hints)-at.Hints]
		at.Hints--
		a.rec.event(journal.Event{Type: journal.DrillHint, Time: a.now(), Text: hint})
	case m.Hint:
	case m.Cause != "":
		verdict := plan.Fail
		if m.Cause == d.Cause {
			verdict, at.Diagnosed = plan.Pass, true
		}
		a.rec.event(journal.Event{Type: journal.DrillAnswered, Time: a.now(), Text: m.Cause, Verdict: verdict.String()})
	case !at.Mended:
		at.Mended = a.checkFix(ctx, d)
	}
}

// checkFix runs the steps that pass once the fault is mended.
func (a *run) checkFix(ctx context.Context, d lab.Drill) bool {
	p := plan.Plan{Name: a.lab.Name + "-drill", Title: "Check of the fix"}
	for _, id := range d.Fixed {
		if s, ok := a.lab.Step(id); ok {
			p.Steps = append(p.Steps, s)
		}
	}
	a.rec.enter(journal.Drill)
	// A learner who has cut a node off waits no longer than they must.
	g := &gate{conn: a.Place.Conn, now: a.now, limit: a.scaled(reachLimit), giveUp: func(error) {}, since: map[string]time.Time{}}
	a.engine.Conn = g.Conn
	defer func() { a.engine.Conn = a.Place.Conn }()
	verdict, err := a.engine.Run(ctx, p)
	return err == nil && verdict == plan.Pass
}

// notSet names the step that kept the drill from being set up.
func (a *run) notSet() error {
	e := &DrillError{Lab: a.lab.Name}
	result := a.rec.result()
	if result.Run.Drill != nil {
		e.Number = result.Run.Drill.Number
	}
	for _, p := range result.Plans {
		for _, s := range p.Steps {
			if e.Step == "" && plan.ParseVerdict(s.Verdict) > plan.Pass {
				e.Step = s.ID
			}
		}
	}
	return e
}

// drillVerdict is what a run of a drill comes to, whatever its teardown met: no
// write-up knows of a learner's own changes, and whether the cluster is as it was
// is compared.
func drillVerdict(r journal.Result) plan.Verdict {
	v := plan.Error
	switch r.Drill.Verdict {
	case journal.DrillSolved:
		v = plan.Pass
	case journal.DrillGaveUp:
		v = plan.Fail
	}
	for _, p := range r.Plans {
		if p.Phase == journal.Steps {
			v = v.Worse(plan.ParseVerdict(p.Verdict))
		}
	}
	return v
}
