package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/remote"
)

// script runs a step on its nodes, on all at once, and merges what they say.
func (r *run) script(ctx context.Context, s plan.Step, o *outcome) {
	nodes := r.Nodes(s)
	results := make([]attempt, len(nodes))
	var wg sync.WaitGroup
	for i, node := range nodes {
		wg.Go(func() { results[i] = r.attempts(ctx, s, node) })
	}
	wg.Wait()

	r.merge(s, nodes, results, o)
}

// merge is what the decisive attempts on all nodes come to.
func (r *run) merge(s plan.Step, nodes []string, results []attempt, o *outcome) {
	outcomes := map[string]plan.Outcome{}
	for i, node := range nodes {
		a := results[i]
		outcomes[node] = a.Outcome
		o.verdict = o.verdict.Worse(a.Verdict)
		if a.err != nil {
			o.fail(a.Verdict, fmt.Errorf("running step %q on node %q: %w", s.ID, node, a.err))
		}
	}
	verdict, together, claims := plan.JudgeNodes(s, outcomes)
	o.verdict = o.verdict.Worse(verdict)
	o.results, o.claims = together, claims
	captured, err := plan.Captured(outcomes)
	o.captured = captured
	if err != nil {
		o.fail(plan.Error, err)
	}
}

// Nodes are those that a step runs on, each once.
func (e *Engine) Nodes(s plan.Step) []string {
	var nodes []string
	for _, on := range s.On {
		for _, n := range e.Select(on) {
			if !slices.Contains(nodes, n) {
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

// attempt is one attempt on one node.
type attempt struct {
	plan.Outcome
	// err is why there is no output to judge.
	err error
	// again says that another attempt may fare better.
	again bool
}

// attempts runs a step on one node until it passes, and has gone on passing for
// as long as it must, or until its time is over. No attempt starts later than
// the limit after the first one, and none is waited for that could not start.
func (r *run) attempts(ctx context.Context, s plan.Step, node string) attempt {
	start := r.clock.Now()
	var passing time.Time
	for n := 1; ; n++ {
		a := r.attempt(ctx, s, node, n)
		now := r.clock.Now()
		if a.Verdict != plan.Pass {
			passing = time.Time{}
		} else if passing.IsZero() {
			passing = now
		}
		settled := a.Verdict == plan.Pass && now.Sub(passing) >= s.Retry.Stay
		if settled || !a.again || ctx.Err() != nil {
			return a
		}
		if s.Retry.Every == 0 || now.Sub(start)+s.Retry.Every > r.scaled(s.Retry.Limit) {
			if a.Verdict == plan.Pass {
				a.Verdict, a.err = plan.Fail, fmt.Errorf("it did not stay so for %s within the limit", s.Retry.Stay)
			}
			return a
		}
		if err := r.clock.Wait(ctx, s.Retry.Every); err != nil {
			a.Verdict, a.err = plan.Error, errors.Join(a.err, err)
			return a
		}
	}
}

func (r *run) attempt(ctx context.Context, s plan.Step, node string, n int) attempt {
	start := r.clock.Now()
	event := journal.Event{Type: journal.StepOutput, Node: node, Attempt: n, Script: s.Run}
	out, err := r.command(ctx, s, node)
	a := attempt{again: true}
	switch {
	case err == nil:
		a.Outcome = s.Judge(node, out, r.Sees(s))
	case ctx.Err() != nil:
		a.Verdict, a.err = plan.Error, context.Cause(ctx)
	default:
		var dial *dialError
		a.Verdict, a.err = plan.Error, err
		a.again = errors.Is(err, remote.ErrLost) || errors.As(err, &dial)
	}
	r.close(&a, &event, s, out, start)
	return a
}

// close finishes an attempt: secrets it found are hidden from here on, and its
// event is told. Output that came before a connection was lost is worth showing,
// too.
func (r *run) close(a *attempt, event *journal.Event, s plan.Step, out remote.Output, start time.Time) {
	for name, c := range s.Capture {
		if value, ok := a.Captured[name]; ok && c.Secret && r.Mask != nil {
			if err := r.Mask.Add(value); err != nil {
				a.Verdict, a.again = plan.Error, false
				a.err = errors.Join(a.err, fmt.Errorf("capturing %s: %w", name, err))
			}
		}
	}
	if err := r.record(event, s, out); err != nil {
		a.Verdict, a.again = plan.Error, false
		a.err = errors.Join(a.err, err)
	}
	event.Checks = journal.CheckResults(a.Results)
	event.Claims = journal.ClaimResults(a.Claims)
	event.Verdict = a.Verdict.String()
	if a.err != nil {
		event.Error = a.err.Error()
	}
	event.Seconds = r.since(start)
	r.emitStep(s, *event)
}

// dialError says that there is no connection, so no command was run.
type dialError struct{ err error }

func (e *dialError) Error() string { return "connecting: " + e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

func (r *run) command(ctx context.Context, s plan.Step, node string) (remote.Output, error) {
	conn, err := r.Conn(ctx, node)
	if err != nil {
		return remote.Output{}, &dialError{err}
	}
	return conn.Run(ctx, remote.Command{
		Script:  s.Run,
		Env:     maps.Clone(r.Sees(s)),
		Timeout: r.scaled(s.Timeout),
		Root:    s.Root,
	})
}
