package journal

import (
	"fmt"
	"strings"

	"labctl/internal/plan"
)

// Fold makes a result of a journal, also of one that ends in the middle: what
// was not told is not there. A run that was killed and whose teardown was paid
// later is one run.
func Fold(events []Event) Result {
	f := folder{claims: map[string]*ClaimRow{}}
	f.Restore.Verdict = NotCompared
	for _, e := range events {
		f.event(e)
	}
	return f.finish()
}

type folder struct {
	Result
	claims map[string]*ClaimRow
	stage  Stage
	drill  *drillFold
}

func (f *folder) event(e Event) {
	if f.Started.IsZero() {
		f.Started = e.Time
	}
	f.Ended = e.Time
	if f.drill != nil {
		f.drill.event(e)
	}
	switch e.Type {
	case RunStarted:
		if e.Run != nil {
			f.Run = *e.Run
			if e.Run.Led {
				f.Led = &LedResult{}
			}
			if e.Run.Drill != nil {
				f.drill = &drillFold{DrillResult: DrillResult{DrillInfo: *e.Run.Drill}}
			}
		}
	case PlanStarted:
		// Until it is done, nobody knows what becomes of it.
		f.Plans = append(f.Plans, PlanResult{Phase: e.Phase, Name: e.Plan, Title: e.Title, Verdict: plan.Error.String()})
	case PlanDone:
		if p := f.plan(); p != nil {
			p.Verdict, p.Seconds = e.Verdict, e.Seconds
		}
	case StepStarted, StepOutput, Progress, StepDone:
		f.step(e)
	case Led:
		f.led(e)
	case Compared:
		f.compared(e)
	case Interrupted:
		f.Interrupted = e.Text
	case RunDone:
		f.Complete = true
		f.Verdict, f.Error, f.Hint = e.Verdict, e.Error, e.Hint
		if e.ExitCode != nil {
			f.ExitCode = *e.ExitCode
		}
		if e.Text == Kept {
			f.Restore.Verdict = Kept
		}
	}
}

// whole tells whether all steps have passed.
func (f *folder) whole() bool {
	return !f.Led.left() && len(f.Plans) > 0 && f.Plans[0].Phase == Steps && f.Plans[0].Verdict == plan.Pass.String()
}

func (f *folder) plan() *PlanResult {
	if len(f.Plans) == 0 {
		return nil
	}
	return &f.Plans[len(f.Plans)-1]
}

// step takes in an event of a step.
func (f *folder) step(e Event) {
	p := f.plan()
	if p == nil {
		return
	}
	s := f.found(e.Step)
	switch {
	case s == nil:
		p.Steps = append(p.Steps, StepResult{ID: e.Step, Group: e.Group, Table: e.Table, Title: e.Title, Verdict: plan.NotRun.String(), Started: e.Time})
		s = &p.Steps[len(p.Steps)-1]
	case e.Type == StepStarted:
		f.again(s, e)
	}
	switch e.Type {
	case Progress:
		s.Notes = append(s.Notes, e.Text)
	case StepOutput:
		s.Attempts = append(s.Attempts, Attempt{
			Node: e.Node, Number: e.Attempt, Run: s.Runs, Time: e.Time, Verdict: e.Verdict, Script: e.Script, Exit: e.Exit,
			Stdout: e.Stdout, Stderr: e.Stderr, Elided: e.Elided, StdoutFile: e.StdoutFile, StderrFile: e.StderrFile,
			TimedOut: e.TimedOut, Held: e.Held, Dropped: e.Dropped,
			Checks: e.Checks, Claims: e.Claims, Error: e.Error, Seconds: e.Seconds,
		})
	case StepDone:
		s.Verdict, s.Seconds, s.Error, s.Hint = e.Verdict, e.Seconds, e.Error, e.Hint
		s.Captured, s.Verdicts, s.Checks = e.Captured, e.Verdicts, e.Checks
		s.Chart = e.Chart
		// What a teardown shows of a claim is about a cluster that all steps have
		// been run on, and nothing else. After a drill it is what a learner left.
		if e.Phase != Steps && (f.drill != nil || !f.whole()) {
			s.Verdicts = nil
			return
		}
		for id, verdict := range e.Verdicts {
			f.claims[id] = &ClaimRow{Verdict: verdict, Showed: showed(*s, id, verdict)}
		}
	}
}

func (f *folder) compared(e Event) {
	f.stage = e.Stage
	f.Restore.Error, f.Restore.Remarks = e.Error, e.Remarks
	if e.Stage == Baseline {
		return
	}
	switch {
	case e.Error != "":
		f.Restore.Verdict = NotRestored
	case len(e.Differences) == 0:
		f.Restore.Verdict, f.Restore.By = Restored, e.Stage
	default:
		f.Restore.Verdict = NotRestored
		if f.Restore.Left == nil {
			f.Restore.Left = map[Stage][]Difference{}
		}
		f.Restore.Left[e.Stage] = e.Differences
	}
}

func (f *folder) finish() Result {
	f.Seconds = f.Ended.Sub(f.Started).Seconds()
	claims := f.Run.Claims
	if f.Run.Drill != nil {
		claims = nil // a drill says nothing of the write-up: it has a few of the lab's steps
	}
	for _, info := range claims {
		row := ClaimRow{ClaimInfo: info, Verdict: info.Fixed}
		if row.Verdict == "" {
			row.Verdict = plan.NotJudged
		}
		if found := f.claims[info.ID]; found != nil {
			row.Verdict, row.Showed = found.Verdict, found.Showed
		}
		row.Because = info.BecauseOf(row.Verdict)
		f.Claims = append(f.Claims, row)
		if f.Counts == nil {
			f.Counts = map[plan.ClaimVerdict]int{}
		}
		f.Counts[row.Verdict]++
	}
	f.Tables = tables(f.Run.Tables, f.Plans)
	if f.drill != nil {
		f.Drill = f.drill.finish()
	}
	if f.stage == Baseline && f.Complete && f.Restore.Verdict == NotCompared && f.Restore.Error == "" {
		f.Restore.Error = "the run ended before anything was compared with its baseline"
	}
	return f.Result
}

// maxShowed is how much of what came a claim's row shows, in bytes.
const maxShowed = 300

// showed is what decided about a claim: the first check of the side that holds,
// or of one that does not, and on which node.
func showed(s StepResult, id string, verdict plan.ClaimVerdict) string {
	last := map[string]Attempt{}
	var nodes []string
	for _, a := range s.Attempts {
		if _, ok := last[a.Node]; !ok {
			nodes = append(nodes, a.Node)
		}
		last[a.Node] = a
	}
	found := ""
	for _, node := range nodes {
		for _, c := range last[node].Claims {
			if c.ID != id {
				continue
			}
			for _, check := range c.Checks {
				if !decisive(check, verdict) {
					continue
				}
				text := shorten(fmt.Sprintf("%s: %s", node, words(check)))
				// An absence has nothing to show; another check may have.
				if check.Got != "" {
					return text
				}
				if found == "" {
					found = text
				}
			}
		}
	}
	return found
}

// decisive tells whether a check is what a claim's verdict rests on: one of the
// side that holds, or one that keeps a side from holding.
func decisive(c CheckResult, verdict plan.ClaimVerdict) bool {
	held := c.Verdict == plan.Pass.String()
	switch verdict {
	case plan.Contested, plan.Ambiguous:
		return !held
	case plan.Holds:
		return held && c.Side != plan.Shows
	}
	return held && c.Side != plan.Says
}

// words are what came where a check held, and also what was wanted where not.
func words(c CheckResult) string {
	switch {
	case c.Verdict != plan.Pass.String():
		return c.Want + "; came: " + c.Got
	case c.Got == "":
		return c.Want
	}
	return c.Got
}

func shorten(text string) string {
	if len(text) <= maxShowed {
		return text
	}
	return strings.ToValidUTF8(text[:maxShowed], "") + "…"
}
