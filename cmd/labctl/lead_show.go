package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"labctl/internal/columns"
	"labctl/internal/journal"
	"labctl/internal/labdoc"
	"labctl/internal/labrun"
	"labctl/internal/plan"
)

// leadShow is a progress for a run that an instructor leads: of a step that was
// asked about it shows what came of it, though it passed.
type leadShow struct {
	*dialogue
	inner *progress
	// interrupted tells whether the run is being ended.
	interrupted func() bool
	// runsOn tells that nothing is asked.
	runsOn bool
}

// asked: from here on, what is run was asked about.
func (s *leadShow) asked() { s.runsOn = false }

func (s *leadShow) event(e journal.Event) {
	switch {
	case e.Type == journal.Led:
		s.led(e)
		return
	case e.Phase == journal.Steps && e.Type == journal.StepDone && e.Verdict == plan.Pass.String() && !s.runsOn:
		s.came()
	}
	s.inner.event(e)
}

func (s *leadShow) led(e journal.Event) {
	s.runsOn = s.runsOn || e.Text == journal.LedRunOn
	if e.Error != "" && !s.interrupted() {
		s.say("", "The shell on "+e.Node+": "+e.Error)
	}
}

// came shows what the last attempt on each node printed, as much as a screen has
// room for; --verbose shows all. What it ran was shown before.
func (s *leadShow) came() {
	for _, node := range slices.Sorted(maps.Keys(s.inner.last)) {
		last := s.inner.last[node]
		again := ""
		if last.Attempt > 1 {
			again = fmt.Sprintf(", attempt %d", last.Attempt)
		}
		fmt.Fprintf(s.out, "  on %s%s: exit %d after %.1f s\n", node, again, last.Exit, last.Seconds)
		for _, stream := range []struct{ prefix, text string }{{"  | ", last.Stdout}, {"  ! ", last.Stderr}} {
			lines := strings.Split(strings.TrimRight(stream.text, "\n"), "\n")
			block(s.out, stream.prefix, strings.Join(few(lines), "\n"))
		}
	}
}

// turn shows the step whose turn it is. One that did not pass was shown already.
func (s *leadShow) turn(at labrun.Turn) {
	fmt.Fprintln(s.out)
	switch {
	case at.Failed:
		s.say("", fmt.Sprintf("%s did not pass. It can be run again when it is mended.", at.Last.ID))
	case at.Next == nil:
		s.say("", "All steps are through.")
	default:
		s.say("", fmt.Sprintf("step %d of %d: %s: %s", at.Number, at.Of, at.Next.ID, at.Next.Title))
		s.row(at)
		fmt.Fprint(s.out, labdoc.Step(*at.Next))
		if len(at.Nodes) > 1 {
			s.say("  ", "runs on each of "+strings.Join(at.Nodes, ", ")+", at once")
		}
		if at.NeededBy != "" {
			s.say("  ", at.NeededBy+" needs it: skip both or none")
		}
		if at.Next.Background != nil {
			s.say("  ", "goes on in the background while later steps run")
		}
	}
	if len(at.Running) > 0 {
		s.say("  ", "still runs in the background: "+strings.Join(at.Running, ", "))
	}
}

// row says which row of its table a step is of.
func (s *leadShow) row(at labrun.Turn) {
	row := at.Next.Row
	if row == nil {
		return
	}
	var values []string
	for _, name := range slices.Sorted(maps.Keys(row.Vars)) {
		values = append(values, fmt.Sprintf("%s=%s", name, row.Vars[name]))
	}
	s.say("  ", fmt.Sprintf("row %d of %d of table %s: %s", row.Number, at.Rows, row.Table, strings.Join(values, ", ")))
}

// item writes a paragraph after a label, its further lines below its first.
func (d *dialogue) item(label, text string) {
	for i, line := range columns.Wrap(text, terminalWidth-len(label)) {
		if i > 0 {
			label = strings.Repeat(" ", len(label))
		}
		fmt.Fprintf(d.out, "%s%s\n", label, line)
	}
}
