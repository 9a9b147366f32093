package labrun

import (
	"maps"
	"time"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/plan"
	"labctl/internal/remote"
)

// Judge judges a recorded run once more, by the checks of a lab as it is today
// and without any machine: authors see in seconds what a changed check does, and
// a test holds each lab to a run on a real pair. What was captured is captured
// again. A step whose script has changed since is an error: nobody knows what
// the new one would print.
func Judge(folder *journal.Folder, l lab.Lab) (journal.Result, error) {
	return JudgeEach(folder, l, func(Shown) {})
}

// Shown is an attempt of a recorded run that could be judged again.
type Shown struct {
	Step    plan.Step
	Phase   journal.Phase
	Node    string
	Attempt int // from 1
	Output  remote.Output
	// Vars are those that the step saw; secrets are masked, in the output too.
	Vars    map[string]string
	Outcome plan.Outcome
}

// JudgeEach is Judge, and tells of each attempt in the order of the run.
func JudgeEach(folder *journal.Folder, l lab.Lab, each func(Shown)) (journal.Result, error) {
	events, err := folder.Events()
	if err != nil {
		return journal.Result{}, err
	}
	run := journal.Fold(events).Run
	j := &judge{each: each, folder: folder, vars: known(l, run), rows: rowsOf(run), steps: map[string]plan.Step{}}
	for _, p := range l.Plans() {
		for _, s := range p.Steps {
			j.steps[s.ID] = s
		}
	}
	judged := make([]journal.Event, 0, len(events))
	for _, e := range events {
		e, err := j.event(e, l)
		if err != nil {
			return journal.Result{}, err
		}
		judged = append(judged, e)
	}
	result := journal.Fold(judged)
	if result.Complete {
		result.Verdict = worst(result).String()
	}
	switch result.ExitCode {
	case ExitPassed, ExitFailed, ExitError, ExitNothing:
		if result.Error == "" { // which no check mends
			result.ExitCode = VerdictCode(result)
		}
	}
	return result, nil
}

type judge struct {
	each     func(Shown)
	folder   *journal.Folder
	steps    map[string]plan.Step
	vars     map[string]string
	rows     plan.Captures
	outcomes map[string]plan.Outcome // of the step at hand, the last on each node
	lost     map[string]bool         // nodes whose last attempt has no output to judge
	verdicts map[string]plan.Verdict // of the steps of the plan at hand
}

func (j *judge) event(e journal.Event, l lab.Lab) (journal.Event, error) {
	switch e.Type {
	case journal.RunStarted:
		if e.Run != nil {
			run := *e.Run
			run.Claims, run.Tables = Claims(l), Tables(l)
			e.Run = &run
		}
	case journal.PlanStarted:
		j.verdicts = map[string]plan.Verdict{}
	case journal.StepStarted:
		j.outcomes, j.lost = map[string]plan.Outcome{}, map[string]bool{}
	case journal.StepOutput:
		return j.output(e)
	case journal.StepDone:
		return j.done(e), nil
	case journal.PlanDone:
		e.Verdict = j.worst().String()
	}
	return e, nil
}

// worst is what the plan at hand comes to: of a step that was run again, the last
// time counts.
func (j *judge) worst() plan.Verdict {
	worst := plan.NotRun
	for _, v := range j.verdicts {
		worst = worst.Worse(v)
	}
	return worst
}

// output judges one attempt.
func (j *judge) output(e journal.Event) (journal.Event, error) {
	s, ok := j.steps[e.Step]
	script := s.Run
	if s.Stop != "" {
		script = j.steps[s.Stop].Run
	}
	if !ok || e.Error != "" || script != e.Script {
		j.lost[e.Node] = true
		delete(j.outcomes, e.Node)
		if ok && e.Error == "" {
			e.Error = journal.ScriptChanged
		}
		if !ok {
			e.Error = "the lab has no such step any more"
		}
		e.Verdict = plan.Error.String()
		return e, nil
	}
	// What an earlier attempt could not say, this one may.
	delete(j.lost, e.Node)
	out := remote.Output{
		Exit: e.Exit, TimedOut: e.TimedOut, Held: e.Held, Dropped: e.Dropped,
		Duration: time.Duration(e.Seconds * float64(time.Second)),
	}
	var err error
	if out.Stdout, err = j.folder.Raw(e.StdoutFile, e.Stdout); err != nil {
		return e, err
	}
	if out.Stderr, err = j.folder.Raw(e.StderrFile, e.Stderr); err != nil {
		return e, err
	}
	vars := maps.Clone(j.rows.Vars(s, j.vars))
	o := s.Judge(e.Node, out, vars)
	j.each(Shown{Step: s, Phase: e.Phase, Node: e.Node, Attempt: e.Attempt, Output: out, Vars: vars, Outcome: o})
	j.outcomes[e.Node] = o
	e.Checks, e.Claims = journal.CheckResults(o.Results), journal.ClaimResults(o.Claims)
	e.Verdict = o.Verdict.String()
	return e, nil
}

// done judges a step by the last attempt on each of its nodes.
func (j *judge) done(e journal.Event) journal.Event {
	verdict := plan.ParseVerdict(e.Verdict)
	s, ok := j.steps[e.Step]
	if ok {
		e.Chart = s.Chart
	}
	if !ok || len(j.outcomes) == 0 || verdict < plan.Pass {
		if len(j.lost) > 0 {
			verdict = plan.Error
		}
		e.Verdict = verdict.String()
		j.verdicts[e.Step] = verdict
		j.outcomes = nil
		return e
	}
	verdict = plan.NotRun
	if len(j.lost) > 0 {
		verdict = plan.Error
	}
	captured, err := plan.Captured(j.outcomes)
	e.Captured, e.Error = captured, ""
	if err != nil {
		verdict, e.Error = plan.Error, err.Error()
	}
	together, results, claims := plan.JudgeNodes(s, j.outcomes)
	verdict = verdict.Worse(together)
	e.Checks, e.Verdicts = journal.CheckResults(results), claims
	e.Verdict = verdict.String()
	j.rows.Add(s, e.Captured, j.vars)
	j.verdicts[e.Step] = verdict
	j.outcomes = nil
	return e
}
