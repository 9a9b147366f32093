// Package runner runs a plan: one loop, step -> output -> checks -> event.
//
// It knows neither hypervisors nor labs: nodes are remote.Conns, built-in
// actions are functions the caller hands in.
package runner

import (
	"context"
	"time"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/remote"
)

// Action is a step that is not a script. It says what it is at with say, which
// must not be called after it has returned. An error of an action means that
// its outcome is unknown, and an error with a method Hint() string overrules
// the step's hint.
type Action func(ctx context.Context, say func(string)) error

// Engine runs plans.
type Engine struct {
	// Select returns the names of the nodes that a step's `on` word means.
	Select func(on string) []string
	// Conn returns a node's connection, dialling it if need be. After a command
	// ended in remote.ErrLost it must dial anew.
	Conn func(ctx context.Context, node string) (remote.Conn, error)
	// Actions are what steps may name in `do`.
	Actions map[string]Action
	// Vars are visible to every script. What steps capture is added, so the plans
	// that one engine runs, one after another, share it.
	Vars map[string]string
	// Rows are what the rows of tables have captured, as Vars is for the run; nil
	// means nothing yet.
	Rows plan.Captures
	// Skip, when set, says why a step is not run: it was done in an earlier life, or
	// nobody asked for it. Empty means that it is run.
	Skip func(stepID string) string
	// Pace, when set, is asked before each step, after each that did not pass, and
	// when all are through, and says what becomes of the plan. It is asked again
	// after each step that it had run again.
	Pace func(ctx context.Context, at Turn) Choice
	// After, when set, is called when a step is over, before the next begins.
	After func(ctx context.Context, s plan.Step, v plan.Verdict)
	// Scale multiplies every time limit; 0 means 1.
	Scale int
	// Mask hides secrets in all that Listen and Keep receive; nil hides nothing.
	// Secrets that steps capture are added to it.
	Mask *journal.Mask
	// Keep stores a stream as it came and returns the file's name for the event;
	// nil means that events are all that is kept.
	Keep func(stream Stream, content []byte) (file string, err error)
	// Listen receives what happens; nil means nobody listens.
	Listen journal.Listener
	// Clock is the time; nil means that of this machine.
	Clock Clock
}

// Stream names what one attempt on one node printed.
type Stream struct {
	Step, Node string
	Attempt    int
	// Name is stdout or stderr.
	Name string
}

// Clock tells the time and waits.
type Clock interface {
	Now() time.Time
	// Wait returns after d, or with the context's cause when that ends first.
	Wait(ctx context.Context, d time.Duration) error
}

// RealClock is the time of this machine.
type RealClock struct{}

// Now is time.Now.
func (RealClock) Now() time.Time { return time.Now() }

// Wait waits for as long, or until the context ends.
func (RealClock) Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
