// Package runner runs a plan: one loop, step -> output -> checks -> event.
//
// It knows neither hypervisors nor labs: nodes are remote.Conns, built-in
// actions are functions the caller hands in.
package runner

import (
	"context"

	"labctl/internal/journal"
	"labctl/internal/remote"
)

// Action is a step that is not a script. It says what it is at with say.
type Action func(ctx context.Context, say func(string)) error

// Engine runs plans.
type Engine struct {
	// Select returns the names of the nodes that a step's `on` word means.
	Select func(on string) []string
	// Conn returns a node's connection, dialling it if need be.
	Conn func(ctx context.Context, node string) (remote.Conn, error)
	// Actions are what steps may name in `do`.
	Actions map[string]Action
	// Vars are visible to every script; captures are added to a copy.
	Vars map[string]string
	// Scale multiplies every time limit; 0 means 1.
	Scale int
	// Listen receives what happens; nil means nobody listens.
	Listen journal.Listener
}
