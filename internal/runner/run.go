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
	"labctl/internal/strictyaml"
)

// Run runs the steps in order and stops at the first that does not pass, unless
// Pace goes on; those after it are not run. The verdict is the worst of all.
//
// An error means that the plan cannot be run as it stands, and that nothing was
// run: an action or a node that nobody knows. What goes wrong later is a
// verdict. A cancelled context ends the step at hand with Error.
func (e *Engine) Run(ctx context.Context, p plan.Plan) (plan.Verdict, error) {
	return e.run(ctx, p, false)
}

// RunAll runs every step whatever became of those before it, as a teardown
// needs it. Only a cancelled context stops it.
func (e *Engine) RunAll(ctx context.Context, p plan.Plan) (plan.Verdict, error) {
	return e.run(ctx, p, true)
}

// run is one run of one plan.
type run struct {
	*Engine
	plan  plan.Plan
	clock Clock
	// background holds the steps that run beside the plan, by their ids.
	background map[string][]*background
	// mu keeps events in order, one at a time.
	mu sync.Mutex
}

func (e *Engine) run(ctx context.Context, p plan.Plan, all bool) (plan.Verdict, error) {
	if err := e.Check(p); err != nil {
		return plan.NotRun, err
	}
	r := &run{Engine: e, plan: p, clock: e.Clock, background: map[string][]*background{}}
	if r.clock == nil {
		r.clock = RealClock{}
	}
	if e.Vars == nil {
		e.Vars = map[string]string{}
	}
	if e.Rows == nil {
		e.Rows = plan.Captures{}
	}
	// Whatever ends the plan, nothing of it runs on.
	defer r.killAll()

	start := r.clock.Now()
	r.emit(journal.Event{Type: journal.PlanStarted, Title: p.Title})
	verdict := r.steps(ctx, all)
	r.emit(journal.Event{Type: journal.PlanDone, Verdict: verdict.String(), Seconds: r.since(start)})
	return verdict, nil
}

// Check says what Run would refuse: actions and nodes that nobody knows.
func (e *Engine) Check(p plan.Plan) error {
	var errs []error
	refuse := func(s plan.Step, format string, args ...any) {
		err := fmt.Errorf("step %q: "+format, append([]any{s.ID}, args...)...)
		if s.Pos != "" {
			err = fmt.Errorf("%s: %w", s.Pos, err)
		}
		errs = append(errs, err)
	}
	for _, s := range p.Steps {
		if s.Stop != "" {
			continue
		}
		if s.Do != "" {
			if e.Actions[s.Do] == nil {
				valid := slices.Sorted(maps.Keys(e.Actions))
				refuse(s, "no action %q: %s", s.Do, strictyaml.Suggest(s.Do, valid))
			}
			continue
		}
		for _, on := range s.On {
			if len(e.Select(on)) == 0 {
				refuse(s, "no node is %q", on)
			}
		}
		if len(s.On) == 0 {
			refuse(s, "it runs nowhere")
		}
	}
	return errors.Join(errs...)
}

func (r *run) step(ctx context.Context, s plan.Step) plan.Verdict {
	done := journal.Event{Type: journal.StepDone}
	if r.Skip != nil {
		if done.Text = r.Skip(s.ID); done.Text != "" {
			done.Verdict = plan.Skipped.String()
			r.emitStep(s, done)
			return plan.Skipped
		}
	}
	start := r.clock.Now()
	r.emitStep(s, journal.Event{Type: journal.StepStarted})
	o := outcome{hint: s.Hint}
	switch {
	case s.Do != "":
		r.action(ctx, s, &o)
	case s.Stop != "":
		r.stop(ctx, s, &o)
	case s.Background != nil:
		r.start(ctx, s, &o)
	default:
		r.script(ctx, s, &o)
	}
	done.Verdict = o.verdict.String()
	done.Chart = s.Chart
	done.Captured = maps.Clone(o.captured)
	done.Verdicts = o.claims
	done.Checks = journal.CheckResults(o.results)
	done.Seconds = r.since(start)
	if o.err != nil {
		done.Error = o.err.Error()
	}
	if o.verdict > plan.Pass {
		done.Hint = o.hint
	}
	r.Rows.Add(s, o.captured, r.Vars)
	r.emitStep(s, done)
	if r.After != nil {
		r.After(ctx, s, o.verdict)
	}
	return o.verdict
}

// outcome is what a step comes to, over all nodes and attempts.
type outcome struct {
	verdict  plan.Verdict
	captured map[string]string
	// results are those that only all nodes together give.
	results []plan.Result
	claims  map[string]plan.ClaimVerdict
	err     error
	hint    string
}

func (o *outcome) fail(v plan.Verdict, err error) {
	o.verdict = o.verdict.Worse(v)
	o.err = errors.Join(o.err, err)
	var hinter interface{ Hint() string }
	if errors.As(err, &hinter) {
		o.hint = hinter.Hint()
	}
}

func (r *run) action(ctx context.Context, s plan.Step, o *outcome) {
	ctx, cancel := r.limit(ctx, s.Timeout)
	defer cancel()
	err := r.Actions[s.Do](ctx, func(text string) {
		r.emitStep(s, journal.Event{Type: journal.Progress, Text: text})
	})
	o.verdict = plan.Pass
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
			err = fmt.Errorf("%w: %w", cause, err)
		}
		o.fail(plan.Error, err)
	}
}

// limit is the step's time limit as a context; 0 is no limit.
func (r *run) limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	d = r.scaled(d)
	return context.WithTimeoutCause(ctx, d, fmt.Errorf("the time limit of %s is over", d))
}

func (r *run) scaled(d time.Duration) time.Duration { return d * time.Duration(max(1, r.Scale)) }

// Sees are the variables that a step sees now.
func (e *Engine) Sees(s plan.Step) map[string]string { return e.Rows.Vars(s, e.Vars) }

func (r *run) since(start time.Time) float64 { return r.clock.Now().Sub(start).Seconds() }

func (r *run) emitStep(s plan.Step, e journal.Event) {
	e.Group, e.Step, e.Title = s.Group, s.ID, s.Title
	if s.Row != nil && (e.Type == journal.StepStarted || e.Type == journal.StepDone) {
		e.Table, e.Row = s.Row.Table, s.Row.Number
	}
	r.emit(e)
}

func (r *run) emit(e journal.Event) {
	if r.Listen == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Plan = r.plan.Name
	e.Time = r.clock.Now()
	r.Listen(r.Mask.Event(e))
}
