package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"labctl/internal/journal"
)

// progress turns events into lines: a step that passes is one line, a step that
// does not is shown whole.
type progress struct {
	out    io.Writer
	group  string
	notRun int
	// last holds the last attempt on each node of the step at hand.
	last map[string]journal.Event
	// verbose shows every attempt's script and output, not only those of steps that
	// do not pass.
	verbose bool
	// claims are those of the lab that runs, by id.
	claims map[string]journal.ClaimInfo
}

func newProgress(out io.Writer, verbose bool) *progress {
	return &progress{out: out, verbose: verbose, last: map[string]journal.Event{}, claims: map[string]journal.ClaimInfo{}}
}

func (p *progress) event(e journal.Event) {
	switch e.Type {
	case journal.RunStarted, journal.PlanStarted, journal.Compared, journal.Interrupted:
		p.run(e)
	case journal.StepStarted:
		p.last = map[string]journal.Event{}
		if e.Group != p.group {
			p.group = e.Group
			fmt.Fprintf(p.out, "%s\n", e.Group) // without a name, what came before ends
		}
		if p.verbose {
			fmt.Fprintf(p.out, "\n%s  %s\n", e.Step, e.Title)
		}
	case journal.Progress:
		fmt.Fprintf(p.out, "    %s\n", e.Text)
	case journal.StepOutput:
		if p.verbose {
			p.attempt(e)
		} else {
			p.last[e.Node] = e
		}
	case journal.StepDone:
		p.done(e)
	case journal.PlanDone:
		if p.notRun > 0 {
			fmt.Fprintf(p.out, "  %d steps not run\n", p.notRun)
		}
		p.notRun = 0
	}
}

func (p *progress) done(e journal.Event) {
	switch e.Verdict {
	case "not run":
		p.notRun++
	case "pass":
		fmt.Fprintf(p.out, "  %-8s %s (%.1f s)\n", "pass", e.Title, e.Seconds)
	case "skipped":
		fmt.Fprintf(p.out, "  %-8s %s (%s)\n", "skipped", e.Title, e.Text)
	default:
		for _, node := range slices.Sorted(maps.Keys(p.last)) {
			if p.last[node].Verdict != "pass" {
				p.attempt(p.last[node])
			}
		}
		fmt.Fprintf(p.out, "  %-8s %s (%.1f s)\n", strings.ToUpper(e.Verdict), e.Title, e.Seconds)
		if e.Error != "" {
			fmt.Fprintf(p.out, "    %s\n", e.Error)
		}
		for _, c := range e.Checks {
			if c.Verdict != "pass" {
				fmt.Fprintf(p.out, "    %-5s %s; came: %s\n", c.Verdict, c.Want, c.Got)
			}
		}
		if e.Hint != "" {
			fmt.Fprintf(p.out, "    hint: %s\n", e.Hint)
		}
	}
	p.verdicts(e)
}
