// Package labrun runs a lab whole: it takes the cluster's fingerprint, runs the
// steps, tears down, repairs, compares with the fingerprint, and goes back to
// the checkpoint where nothing else helps. What is owed to the cluster in
// between is written down before the first step, so that a later call can pay it
// after whatever ended this one.
package labrun

import (
	"context"
	"time"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/remote"
	"labctl/internal/restore"
	"labctl/internal/runner"
)

// Place is what a lab runs on: a pair, or hosts that exist already. The caller
// holds its lock.
type Place struct {
	// Info is what there is to say of the place; Lab fills in the rest.
	Info journal.Run
	// Dir is where the owed record is kept.
	Dir string
	// ControlPlane is the node that talks to the API server; empty if none does.
	ControlPlane string
	// Select and Conn are those of runner.Engine.
	Select func(on string) []string
	Conn   func(ctx context.Context, node string) (remote.Conn, error)
	// Look takes the cluster's fingerprint; nil means restore.Take on all nodes.
	Look func(ctx context.Context) (restore.Fingerprint, error)
	// Reset puts all nodes back to the checkpoint; nil if there is none.
	Reset func(ctx context.Context) error
	// Hosts is the topology's file of hosts that exist already; empty of a pair.
	Hosts string
	// Scale multiplies every time limit.
	Scale int
}

// Keep says when a cluster stays as the steps left it.
type Keep string

// The values of Keep.
const (
	KeepNever     Keep = "never"
	KeepOnFailure Keep = "on-failure"
	KeepAlways    Keep = "always"
)

// Options are what may be asked of one run.
type Options struct {
	// From and Until are the first and the last step; Only lists single ones.
	From, Until string
	Only        []string
	// Drill is the number or the id of one of the lab's drills; empty runs the lab.
	// It goes with none of the three above.
	Drill string
	Keep  Keep
	// Led waits for the Instructor before each step. It goes with no drill.
	Led bool
	// Seed, if not 0, shuffles the steps of a lab that allows it.
	Seed uint64
	// Vars are given on the command line.
	Vars map[string]string
}

// Runner runs labs in one place.
type Runner struct {
	Place Place
	// Runs is the folder of all runs.
	Runs string
	// Report writes a run's reports into its folder; it is called on every way out.
	Report func(dir string, r journal.Result) error
	// Dialogue is whoever does a drill; without one, drills are given up.
	Dialogue Dialogue
	// Instructor is whoever leads a run step by step.
	Instructor Instructor
	// Listen hears what happens, after the journal has it.
	Listen journal.Listener
	// Clock is the time; nil means that of this machine.
	Clock runner.Clock

	saboteur *saboteur
}

// Source is a lab with the file it came from, which the run's folder keeps.
type Source struct {
	lab.Lab
	File     []byte
	Topology []byte
}

// Exit codes of a run, published in docs/formats.md.
const (
	ExitPassed     = 0
	ExitFailed     = 1 // a check did not hold
	ExitError      = 2 // could not judge
	ExitUnrestored = 3 // judged, but the cluster is not as it was
	ExitNothing    = 4 // nothing was asked for, or all was skipped
)

// Limits, with hardware acceleration; Place.Scale multiplies them.
const (
	// fingerprintLimit is how long one look at the whole cluster may take. It takes
	// 2 s with acceleration.
	fingerprintLimit = 60 * time.Second
	// restoreLimit is how long teardown, repair and looking may take altogether.
	restoreLimit = 10 * time.Minute
	// settleLimit is how long a cluster may differ in the same way before that counts
	// as how it is: a Pod that was deleted has 30 s to end. Not scaled.
	settleLimit = 60 * time.Second
	// settleBareLimit is the same of machines without Kubernetes, where nothing ends
	// but what a lab itself has started. Not scaled.
	settleBareLimit = 10 * time.Second
	// settleEvery is how often it is looked at meanwhile. Not scaled.
	settleEvery = 2 * time.Second
	// reachLimit is how long one node may take to let labctl in. A connection takes
	// 0.1 s.
	reachLimit = 10 * time.Second
)

func (r *Runner) scaled(d time.Duration) time.Duration {
	return d * time.Duration(max(1, r.Place.Scale))
}

func (r *Runner) clock() runner.Clock {
	if r.Clock != nil {
		return r.Clock
	}
	return runner.RealClock{}
}

func (r *Runner) now() time.Time { return r.clock().Now() }
