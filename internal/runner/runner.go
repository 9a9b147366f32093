// Package runner runs a plan: one loop, step -> output -> checks -> event.
//
// It knows neither hypervisors nor labs: nodes are remote.Conns, built-in
// actions are functions the caller hands in.
package runner

import (
	"context"
	"time"

	"labctl/internal/journal"
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
	// Vars are visible to every script; captures are added to a copy.
	Vars map[string]string
	// Done, when set, says that a step was done in an earlier life: it is
	// skipped.
	Done func(stepID string) bool
	// Scale multiplies every time limit; 0 means 1.
	Scale int
	// Listen receives what happens; nil means nobody listens.
	Listen journal.Listener
	// Clock is the time; nil means that of this machine.
	Clock Clock
}

// Clock tells the time and waits.
type Clock interface {
	Now() time.Time
	// Wait returns after d, or with the context's cause when that ends first.
	Wait(ctx context.Context, d time.Duration) error
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
