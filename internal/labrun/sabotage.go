package labrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/plan"
)

// Caught is what became of one act of sabotage.
type Caught struct {
	Act   string `json:"act"`
	Title string `json:"title"`
	Step  string `json:"step"`
	// Verdict is "caught", "missed" (what should have noticed did not), or "error"
	// (the step did not pass before or after, or the act could not be done).
	Verdict string `json:"verdict"`
	Detail  string `json:"detail,omitempty"`
}

// The verdicts of an act.
const (
	ActCaught = "caught"
	ActMissed = "missed"
	ActError  = "error"
)

// Sabotage runs a lab as Lab does and, after each step that has acts, breaks the
// cluster with each in turn, runs the step once more, and puts it right again.
// What an act names must not pass then, and the step must pass after. The run
// ends, as any other, with a cluster that is as it was.
func (r *Runner) Sabotage(ctx context.Context, s Source, acts lab.Sabotage, o Options) (journal.Result, []Caught, string, error) {
	at := map[string][]lab.Act{}
	for _, a := range acts.Acts {
		at[a.At] = append(at[a.At], a)
	}
	sab := &saboteur{acts: at}
	r.saboteur = sab
	defer func() { r.saboteur = nil }()
	result, dir, err := r.Lab(ctx, s, o)
	for _, a := range acts.Acts {
		if !sab.tried[a.ID] {
			sab.add(a, ActError, "its step was not reached, or did not pass")
		}
	}
	return result, sab.caught, dir, err
}

// saboteur has the acts of each step, and notes what became of them.
type saboteur struct {
	acts   map[string][]lab.Act
	caught []Caught
	tried  map[string]bool
}

func (s *saboteur) add(a lab.Act, verdict, detail string) {
	if s.tried == nil {
		s.tried = map[string]bool{}
	}
	s.tried[a.ID] = true
	s.caught = append(s.caught, Caught{Act: a.ID, Title: a.Title, Step: a.At, Verdict: verdict, Detail: detail})
}

// runSteps runs a plan, and after each step its acts. Without acts it is the
// engine's own loop.
func (a *run) runSteps(ctx context.Context, p plan.Plan, all bool) (plan.Verdict, error) {
	run := a.engine.Run
	if all {
		run = a.engine.RunAll
	}
	if a.saboteur == nil {
		return run(ctx, p)
	}
	a.engine.After = func(ctx context.Context, s plan.Step, v plan.Verdict) {
		if v != plan.Pass {
			return
		}
		for _, act := range a.saboteur.acts[s.ID] {
			if ctx.Err() == nil {
				a.act(ctx, p, s, act)
			}
		}
	}
	defer func() { a.engine.After = nil }()
	return run(ctx, p)
}

// act breaks, looks, mends and looks again. What became of it is said at once: a
// run with many acts is long, and may not see its end.
func (a *run) act(ctx context.Context, p plan.Plan, s plan.Step, act lab.Act) {
	say := func(text string) {
		a.rec.event(journal.Event{
			Type: journal.Progress, Time: a.now(), Plan: p.Name, Group: s.Group, Step: s.ID, Title: s.Title,
			Text: fmt.Sprintf("sabotage %s: %s", act.ID, text),
		})
	}
	say(act.Title)
	verdict, detail := a.try(ctx, s, act)
	a.saboteur.add(act, verdict, detail)
	if detail != "" {
		verdict += ": " + detail
	}
	say(verdict)
}

// try does an act and tells what became of it.
func (a *run) try(ctx context.Context, s plan.Step, act lab.Act) (verdict, detail string) {
	if err := a.tamper(ctx, act, "breaking", act.Run); err != nil {
		_ = a.tamper(ctx, act, "mending", act.Undo) // a half-done break is mended as well as may be
		return ActError, err.Error()
	}
	broken := a.once(ctx, s)
	if err := a.tamper(ctx, act, "mending", act.Undo); err != nil {
		return ActError, err.Error()
	}
	after := a.once(ctx, s)
	missed := missedBy(act, broken, after)
	switch {
	case len(broken.errs) > 0:
		// That nobody could look is no check's merit.
		return ActError, broken.words()
	case after.verdict() != plan.Pass:
		// Before what was missed: a step that cannot pass twice looks broken whatever
		// the act did, and a claim of it as it usually is.
		return ActError, fmt.Sprintf("step %q is %s when it is run again, the act undone: %s", s.ID, after.verdict(), after.words())
	case len(missed) > 0:
		return ActMissed, strings.Join(missed, ", ") + ": noticed nothing"
	}
	return ActCaught, ""
}

// tamper runs one side of an act.
func (a *run) tamper(ctx context.Context, act lab.Act, doing, script string) error {
	s := plan.Step{ID: act.ID, Title: act.Title, On: act.On, Run: script, Root: act.Root, Timeout: act.Timeout, Pos: act.Pos}
	looked := a.once(ctx, s)
	if v := looked.verdict(); v != plan.Pass {
		return fmt.Errorf("%s at step %q: %s: %s", doing, act.At, v, looked.words())
	}
	return nil
}

// looked is one attempt of a step on each of its nodes.
type looked struct {
	step     plan.Step
	outcomes map[string]plan.Outcome
	errs     map[string]error
}

// once runs a step's script once on each node, and judges.
func (a *run) once(ctx context.Context, s plan.Step) looked {
	l := looked{step: s, outcomes: map[string]plan.Outcome{}, errs: map[string]error{}}
	for node, out := range a.engine.Once(ctx, s) {
		if out.Err != nil {
			l.errs[node] = out.Err
			continue
		}
		l.outcomes[node] = s.Judge(node, out.Output, a.engine.Sees(s))
	}
	return l
}

func (l looked) verdict() plan.Verdict {
	if len(l.errs) > 0 {
		return plan.Error
	}
	v, _, _ := plan.JudgeNodes(l.step, l.outcomes)
	for _, o := range l.outcomes {
		v = v.Worse(o.Verdict)
	}
	return v
}

// words say what did not pass.
func (l looked) words() string {
	var errs error
	for _, node := range slices.Sorted(maps.Keys(l.errs)) {
		errs = errors.Join(errs, fmt.Errorf("on node %q: %w", node, l.errs[node]))
	}
	for _, node := range slices.Sorted(maps.Keys(l.outcomes)) {
		for _, res := range l.outcomes[node].Results {
			if res.Verdict > plan.Pass {
				errs = errors.Join(errs, fmt.Errorf("on node %q: %s, came: %s", node, res.Want, res.Got))
			}
		}
	}
	if errs == nil {
		return "no check says why"
	}
	return errs.Error()
}

// missedBy lists what the act names and what noticed nothing: a check that passed
// all the same, a claim with the verdict that it has when nothing is broken.
func missedBy(act lab.Act, broken, whole looked) []string {
	var missed []string
	together, results, verdicts := plan.JudgeNodes(broken.step, broken.outcomes)
	for _, o := range broken.outcomes {
		results = append(results, o.Results...)
	}
	for _, n := range act.Checks {
		c := broken.step.Checks[n-1]
		noticed := slices.ContainsFunc(results, func(r plan.Result) bool { return r.Pos == c.Pos && r.Verdict > plan.Pass })
		if !noticed && (c.Same == nil || together <= plan.Pass) {
			missed = append(missed, fmt.Sprintf("check %d", n))
		}
	}
	_, _, usual := plan.JudgeNodes(whole.step, whole.outcomes)
	for _, id := range act.Claims {
		if verdicts[id] == usual[id] {
			missed = append(missed, fmt.Sprintf("%s (still %s)", id, verdicts[id]))
		}
	}
	return missed
}
