package main

import (
	"fmt"
	"io"
	"strings"

	"labctl/internal/journal"
)

// progress turns events into lines: a step that passes is one line, a step that
// does not is shown whole.
type progress struct {
	out    io.Writer
	group  string
	notRun int
	// verbose shows every attempt's command and output, as `labctl run` does.
	verbose bool
}

func (p *progress) event(e journal.Event) {
	switch e.Type {
	case journal.StepStarted:
		if e.Group != "" && e.Group != p.group {
			p.group = e.Group
			fmt.Fprintf(p.out, "%s\n", e.Group)
		}
		if p.verbose {
			fmt.Fprintf(p.out, "\n%s  %s\n", e.Step, e.Title)
		}
	case journal.Progress:
		fmt.Fprintf(p.out, "    %s\n", e.Text)
	case journal.StepOutput:
		if p.verbose {
			p.attempt(e)
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
		fmt.Fprintf(p.out, "  %-8s %s (done before)\n", "skipped", e.Title)
	default:
		fmt.Fprintf(p.out, "  %-8s %s (%.1f s)\n", strings.ToUpper(e.Verdict), e.Title, e.Seconds)
		if e.Error != "" {
			fmt.Fprintf(p.out, "    %s\n", e.Error)
		}
		if e.Hint != "" {
			fmt.Fprintf(p.out, "    hint: %s\n", e.Hint)
		}
	}
}
