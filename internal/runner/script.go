package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/remote"
)

// script runs a step on its nodes, on all at once, and merges what they say.
func (r *run) script(ctx context.Context, s plan.Step, o *outcome) {
	nodes := r.nodes(s)
	results := make([]attempt, len(nodes))
	var wg sync.WaitGroup
	for i, node := range nodes {
		wg.Go(func() { results[i] = r.attempts(ctx, s, node) })
	}
	wg.Wait()

	for i, node := range nodes {
		a := results[i]
		o.verdict = o.verdict.Worse(a.Verdict)
		if a.err != nil {
			o.fail(a.Verdict, fmt.Errorf("running step %q on node %q: %w", s.ID, node, a.err))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Capture)) {
		o.capture(name, nodes, results)
	}
}

// capture takes a value on which all nodes that found one agree.
func (o *outcome) capture(name string, nodes []string, results []attempt) {
	first := -1
	for i := range results {
		value, ok := results[i].Captured[name]
		switch {
		case !ok:
		case first < 0:
			first = i
		case value != results[first].Captured[name]:
			o.fail(plan.Error, fmt.Errorf("capturing %s: %q on node %q, %q on node %q",
				name, results[first].Captured[name], nodes[first], value, nodes[i]))
			return
		}
	}
	if first < 0 {
		return
	}
	if o.captured == nil {
		o.captured = map[string]string{}
	}
	o.captured[name] = results[first].Captured[name]
}

// nodes are those that a step runs on, each once.
func (r *run) nodes(s plan.Step) []string {
	var nodes []string
	for _, on := range s.On {
		for _, n := range r.Select(on) {
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

// attempts runs a step on one node until it passes or its time is over. No
// attempt starts later than the limit after the first one, and none is waited
// for that could not start.
func (r *run) attempts(ctx context.Context, s plan.Step, node string) attempt {
	start := r.clock.Now()
	for n := 1; ; n++ {
		a := r.attempt(ctx, s, node, n)
		if a.Verdict == plan.Pass || !a.again || ctx.Err() != nil {
			return a
		}
		elapsed := r.clock.Now().Sub(start)
		if s.Retry.Every == 0 || elapsed+s.Retry.Every > r.scaled(s.Retry.Limit) {
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
		a.Outcome = s.Judge(out)
	case ctx.Err() != nil:
		a.Verdict, a.err = plan.Error, context.Cause(ctx)
	default:
		var dial *dialError
		a.Verdict, a.err = plan.Error, err
		a.again = errors.Is(err, remote.ErrLost) || errors.As(err, &dial)
	}
	// Output that came before the connection was lost is worth showing, too.
	event.Exit = out.Exit
	event.Stdout, event.Stderr = plan.Escape(string(out.Stdout)), plan.Escape(string(out.Stderr))
	event.TimedOut, event.Held, event.Dropped = out.TimedOut, out.Held, out.Dropped
	for _, res := range a.Results {
		event.Checks = append(event.Checks, journal.CheckResult{
			Verdict: res.Verdict.String(), Want: res.Want, Got: res.Got, Pos: res.Pos,
		})
	}
	event.Verdict = a.Verdict.String()
	if a.err != nil {
		event.Error = a.err.Error()
	}
	event.Seconds = r.since(start)
	r.emitStep(s, event)
	return a
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
		Env:     maps.Clone(r.vars),
		Timeout: r.scaled(s.Timeout),
		Root:    s.Root,
	})
}
