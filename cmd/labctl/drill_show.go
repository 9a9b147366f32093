package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"labctl/internal/columns"
	"labctl/internal/journal"
	"labctl/internal/lab"
)

// drillShow is a progress that does not tell what there is to find: of the steps
// it shows those that the drill needs, and those that did not pass.
type drillShow struct {
	*dialogue
	inner *progress
	lab   lab.Lab
	drill lab.Drill
	of    journal.DrillInfo
	// ways lead to the nodes, patience is how long a check of the fix may wait.
	ways     []string
	patience time.Duration
	// interrupted tells whether the run is being ended.
	interrupted func() bool
	// held are the events of a step that is not shown, unless it does not pass.
	held     []journal.Event
	breaking bool
	seen     int // of the symptom's steps
	// diagnosed and mended say which half is done.
	diagnosed, mended bool
}

// patience is how long the steps that look for a fix may go on looking.
func patience(l lab.Lab, d lab.Drill, scale int) time.Duration {
	var all time.Duration
	for _, id := range d.Fixed {
		step, _ := l.Step(id)
		all += step.Retry.Limit * time.Duration(max(1, scale))
	}
	return all
}

func (s *drillShow) event(e journal.Event) {
	switch {
	case e.Type == journal.RunStarted:
		if e.Run.Drill != nil {
			s.of = *e.Run.Drill
		}
		s.inner.event(e)
	case e.Type == journal.DrillBegan:
		s.briefing()
	case e.Type == journal.DrillAnswered && e.Verdict == "pass":
		s.diagnosed = true
		s.both("Right: "+strings.TrimSuffix(e.Text, ".")+".", "Now mend it, and press Enter.")
	case e.Type == journal.DrillAnswered:
		s.say("", fmt.Sprintf("No, it is not this: %s. Look again.", strings.TrimSuffix(e.Text, ".")))
	case e.Type == journal.DrillHint:
		s.say("  ", "Hint: "+e.Text)
	case e.Type == journal.DrillDone:
		s.done(e)
	case e.Phase == journal.Drill:
		s.check(e)
	case e.Phase == journal.Steps && e.Step != "":
		s.step(e)
	default:
		s.inner.event(e)
	}
}

// step shows a step of the lab, or not.
func (s *drillShow) step(e journal.Event) {
	if e.Verdict == "skipped" {
		return // it is none of the drill's
	}
	if slices.Contains(s.drill.Needs, e.Step) {
		s.inner.event(e)
		return
	}
	if !s.breaking && e.Type == journal.StepStarted {
		s.breaking = true
		fmt.Fprintln(s.out, "\nbreaking the pair")
	}
	s.held = append(s.held, e)
	if e.Type != journal.StepDone {
		return
	}
	switch {
	case e.Verdict == "pass" && slices.Contains(s.drill.Symptom, e.Step):
		s.seen++
		if s.seen == len(s.drill.Symptom) {
			fmt.Fprintln(s.out, "the fault is there: seen")
		}
	case e.Verdict != "pass" && e.Verdict != "not run" && !s.interrupted():
		for _, h := range s.held {
			s.inner.event(h)
		}
	}
	s.held = nil
}

// briefing is all that a learner is told at first.
func (s *drillShow) briefing() {
	fmt.Fprintln(s.out)
	s.say("", fmt.Sprintf("drill %d of %d: %s", s.of.Number, s.of.Of, s.of.Title))
	s.say("", "The pair is broken now. Look at it in another terminal:")
	for _, way := range s.ways {
		fmt.Fprintf(s.out, "  %s\n", way) // a line that can be copied
	}
	s.say("", "What is the cause?")
	choices := s.lab.Causes()
	for i, c := range choices {
		for n, line := range columns.Wrap(c, terminalWidth-len("  a) ")) {
			label := "     "
			if n == 0 {
				label = fmt.Sprintf("  %c) ", letters[i])
			}
			fmt.Fprintf(s.out, "%s%s\n", label, line)
		}
	}
	s.say("", possible(len(choices)))
}

// check tells of a check of the fix that it passed, or what came. Neither script
// nor hint: they may tell the cause.
func (s *drillShow) check(e journal.Event) {
	switch e.Type {
	case journal.PlanStarted:
		text := "checking the fix"
		if s.patience > 0 {
			text += fmt.Sprintf("; this may take up to %s", s.patience)
		}
		fmt.Fprintln(s.out, text)
	case journal.StepStarted:
		s.inner.last = map[string]journal.Event{}
	case journal.StepOutput:
		s.inner.last[e.Node] = e
	case journal.StepDone:
		if e.Verdict != "pass" && e.Verdict != "not run" {
			s.notYet(e)
		}
	case journal.PlanDone:
		if e.Verdict == "pass" {
			s.mended = true
			s.both("Fixed.", "What was the cause?")
		}
	}
}

// both tells of one half, and of the other if that is not done yet.
func (s *drillShow) both(half, other string) {
	if !s.diagnosed || !s.mended {
		half += " " + other
	}
	s.say("", half)
}

// maxSaid is how many columns of an error or of what was wanted are shown: what
// there is to see is on the pair.
const maxSaid = 240

func (s *drillShow) notYet(e journal.Event) {
	if s.interrupted() {
		return
	}
	s.say("", "Not yet: "+e.Title)
	tell := func(where, want, got string) {
		s.say("  ", columns.Cut(fmt.Sprintf("%swanted: %s", where, want), maxSaid)+"; came:")
		for _, line := range few(strings.Split(strings.TrimRight(got, "\n"), "\n")) {
			fmt.Fprintf(s.out, "    %s\n", columns.Cut(line, terminalWidth-4))
		}
	}
	for _, node := range slices.Sorted(maps.Keys(s.inner.last)) {
		last := s.inner.last[node]
		if last.Error != "" {
			s.say("  ", columns.Cut(fmt.Sprintf("on %s: %s", node, last.Error), maxSaid))
			continue
		}
		for _, c := range last.Checks {
			if c.Verdict != "pass" {
				tell("on "+node+": ", c.Want, c.Got)
				break
			}
		}
	}
	for _, c := range e.Checks {
		if c.Verdict != "pass" {
			tell("", c.Want, c.Got)
		}
	}
}

func (s *drillShow) done(e journal.Event) {
	if e.Verdict == "pass" {
		took := time.Duration(e.Seconds * float64(time.Second)).Round(time.Second)
		s.say("", fmt.Sprintf("Solved in %s: diagnosed and mended.", took))
		return
	}
	s.say("", "The cause: "+s.drill.Cause)
	fmt.Fprintln(s.out, "What broke the pair:")
	for _, id := range s.drill.Break {
		step, _ := s.lab.Step(id)
		block(s.out, "  $ ", step.Run)
	}
}
