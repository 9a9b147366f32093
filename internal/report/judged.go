package report

import (
	"fmt"
	"io"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// Judgement is a recorded run, judged by a lab as it was at one time.
type Judgement struct {
	steps  []standing
	checks []standing
	claims []standing
}

// standing is how one thing stands: a step, a check of it on a node, a claim.
type standing struct {
	// what names it; it is the same as long as it asks the same.
	what, verdict string
	// more is why, and where that is in the file.
	more string
	// step and claim are whose check it is.
	step, claim string
}

// What a step of the lab is that the run cannot tell of.
const (
	notRunSince = "not run since" // its script has changed
	neverRun    = "never run"     // it is not in the run
)

// Judged is what a result says of a lab's plans.
func Judged(plans []plan.Plan, r journal.Result) Judgement {
	var j Judgement
	recorded := map[string]journal.StepResult{}
	for _, p := range own(r.Plans) {
		for _, s := range p.Steps {
			recorded[s.ID] = s
		}
	}
	for _, p := range plans {
		for _, s := range p.Steps {
			found, ok := recorded[s.ID]
			if !ok {
				j.steps = append(j.steps, standing{what: s.ID, verdict: neverRun})
				continue
			}
			j.step(found)
		}
	}
	for _, c := range r.Claims {
		if c.Step != "" {
			j.claims = append(j.claims, standing{what: c.ID, verdict: string(c.Outcome()), more: c.Showed})
		}
	}
	return j
}

func (j *Judgement) step(s journal.StepResult) {
	mine := standing{what: s.ID, verdict: s.Outcome()}
	all := byNode(s.Attempts)
	for _, t := range all {
		if t.Last.Error == journal.ScriptChanged {
			mine.verdict = notRunSince
		}
	}
	if unwell(mine.verdict) && s.Error != "" {
		mine.more = s.Error
	}
	j.steps = append(j.steps, mine)
	if mine.verdict == notRunSince {
		return
	}
	for _, t := range all {
		on := s.ID + " on " + t.Node + ": "
		if t.Last.Error != "" {
			j.checks = append(j.checks, standing{what: on + "what it printed", verdict: plan.Error.String(), more: t.Last.Error, step: s.ID})
		}
		j.judged(s.ID, "", on, t.Last.Checks)
		for _, c := range t.Last.Claims {
			for _, side := range c.Checks {
				j.judged(s.ID, c.ID, fmt.Sprintf("%s%s %s: ", on, c.ID, side.Side), []journal.CheckResult{side})
			}
		}
	}
	j.judged(s.ID, "", s.ID+": ", s.Checks)
}

func (j *Judgement) judged(step, claim, where string, checks []journal.CheckResult) {
	for _, c := range checks {
		more := ""
		if c.Verdict != plan.Pass.String() {
			more = fmt.Sprintf("came: %s (%s)", c.Got, c.Pos)
		}
		j.checks = append(j.checks, standing{what: where + c.Want, verdict: c.Verdict, more: more, step: step, claim: claim})
	}
}

// maxChanges is how many lines Changes writes of each kind: a screen has fifty.
const maxChanges = 20

// Changes writes how a lab stands for a run: the sums, and what is not as it was
// before; of the first, for which before is nil, what does not pass.
func Changes(w io.Writer, before *Judgement, now Judgement) {
	verdicts := func(all []standing) (words []string) {
		for _, s := range all {
			words = append(words, s.verdict)
		}
		return words
	}
	paragraph(w, "", inWords("step", tally(verdicts(now.steps), append(stepOrder[:len(stepOrder):len(stepOrder)], notRunSince, neverRun))))
	if len(now.claims) > 0 {
		paragraph(w, "", inWords("claim", tally(verdicts(now.claims), claimOrder)))
	}
	if before == nil {
		before = now.well()
	}
	changed := changes(w, before.steps, now.steps)
	changed = changes(w, before.claims, now.claims) || changed
	if !changes(w, both(before, now, before.checks), both(before, now, now.checks)) && !changed {
		fmt.Fprintln(w, "  nothing else than before")
	}
}

// well is what nobody need look at. Of a claim that came out as it is known to,
// one side does not hold.
func (j Judgement) well() *Judgement {
	bad := map[string]bool{}
	w := &Judgement{}
	for _, c := range j.claims {
		if c.verdict == string(plan.Contested) || c.verdict == string(plan.Ambiguous) {
			bad[c.what] = true
			continue
		}
		w.claims = append(w.claims, c)
	}
	for _, s := range j.steps {
		if !unwell(s.verdict) && s.verdict != plan.NotRun.String() {
			w.steps = append(w.steps, s)
		}
	}
	for _, c := range j.checks {
		if c.verdict == plan.Pass.String() || c.claim != "" && !bad[c.claim] {
			w.checks = append(w.checks, c)
		}
	}
	return w
}

// both are the checks of steps that could be judged both times: of others, that
// the step could not be is all there is to say.
func both(before *Judgement, now Judgement, checks []standing) []standing {
	lost := map[string]bool{}
	for _, all := range [][]standing{before.steps, now.steps} {
		for _, s := range all {
			lost[s.what] = lost[s.what] || s.verdict == notRunSince || s.verdict == neverRun
		}
	}
	var kept []standing
	for _, c := range checks {
		if !lost[c.step] {
			kept = append(kept, c)
		}
	}
	return kept
}

// changes writes what stands otherwise now, what is new, and what is gone.
func changes(w io.Writer, before, now []standing) bool {
	old := keyed(before)
	gone := keyed(before)
	var lines []string
	for key, s := range inTurn(now) {
		was, known := old[key]
		delete(gone, key)
		switch {
		case !known:
			lines = append(lines, changeLine(s.verdict, s))
		case was.verdict != s.verdict:
			lines = append(lines, changeLine(s.verdict+", was "+was.verdict, s))
		}
	}
	for key, s := range inTurn(before) {
		if _, ok := gone[key]; ok {
			lines = append(lines, changeLine("gone, was "+s.verdict, standing{what: s.what}))
		}
	}
	for i, l := range lines {
		if i == maxChanges {
			fmt.Fprintf(w, "  and %d more\n", len(lines)-i)
			break
		}
		paragraph(w, "  ", l)
	}
	return len(lines) > 0
}

func changeLine(verdict string, s standing) string {
	text := verdict + ": " + s.what
	if s.more != "" {
		text += "; " + s.more
	}
	return line(text, 300)
}

// keyed are all by what they are; the second of two that are alike has a key of
// its own.
func keyed(all []standing) map[string]standing {
	m := map[string]standing{}
	for key, s := range inTurn(all) {
		m[key] = s
	}
	return m
}

func inTurn(all []standing) func(func(string, standing) bool) {
	return func(yield func(string, standing) bool) {
		seen := map[string]int{}
		for _, s := range all {
			seen[s.what]++
			if !yield(s.what+strings.Repeat("\n", seen[s.what]), s) {
				return
			}
		}
	}
}
