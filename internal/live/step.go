package live

import (
	"errors"
	"html/template"
	"maps"
	"slices"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/labdoc"
	"labctl/internal/plan"
	"labctl/internal/report"
)

var errNoSuchKey = errors.New("the run has no such step")

// maxStream is how much of a stream is shown, in bytes: nobody reads more on a
// projector, and the run's folder has the rest.
const maxStream = 16 << 10

// shownStep is a step with what is expected of it beside what came.
type shownStep struct {
	item
	// Number is its place among the steps of its heading.
	Number, Of int
	Heading    string
	Explain    string
	Script     string
	On         string
	Row        []pair // of its table
	Why, Hint  string
	Seconds    float64
	Checks     []expectation
	Proves     []shownClaim
	Tries      []shownTry
	Notes      []string
	Captured   []pair
	ChartTitle string
	Chart      template.HTML
}

type pair struct{ Name, Value string }

// shownTry is what came on one node.
type shownTry struct {
	report.Try
	Stdout, Stderr []outLine
}

// outLine is a line of output; Hit says that a check that holds rests on it.
type outLine struct {
	Text string
	Hit  bool
}

func (p *Page) step(all []section, i item) shownStep {
	s := shownStep{item: i, Heading: report.Heading(i.phase)}
	for _, sec := range all {
		if n := slices.IndexFunc(sec.Items, func(other item) bool { return other.Key == i.Key }); n >= 0 {
			s.Number, s.Of = n+1, len(sec.Items)
		}
	}
	if i.step != nil {
		s.Explain, s.Script, s.On = i.step.Explain, i.step.Run, labdoc.About(*i.step)
		if i.step.Row != nil {
			s.Row = pairs(i.step.Row.Vars)
		}
	}
	s.Proves = p.claims(i)
	if i.result == nil {
		s.Checks = planned(i.step.Checks)
		return s
	}
	r := *i.result
	s.Hint, s.Seconds, s.Notes, s.Captured = r.Hint, r.Seconds, r.Notes, pairs(r.Captured)
	s.ChartTitle, s.Chart = report.Chart(r)
	if i.State != running && (r.Error != "" || r.Accepted || len(r.Attempts) == 0 && report.NeedsALook(i.State)) {
		s.Why = report.Why(r) // else it is a check, and those are shown
	}
	tries := report.Tries(r, maxStream)
	if len(tries) == 0 {
		if i.step != nil && i.State == running {
			s.Checks = planned(i.step.Checks)
		}
		return s
	}
	if script := tries[0].Script; script != "" {
		s.Script = script
	}
	s.Checks = badFirst(append(judged(tries, ownChecks), results(r.Checks)...))
	hits := evidence(r, tries)
	for _, t := range tries {
		s.Tries = append(s.Tries, shownTry{t, lines(t.Stdout, hits), lines(t.Stderr, hits)})
	}
	return s
}

func pairs(values map[string]string) []pair {
	var all []pair
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, pair{name, values[name]})
	}
	return all
}

// evidence are the lines that checks which hold have found.
func evidence(r journal.StepResult, tries []report.Try) map[string]bool {
	hits := map[string]bool{}
	note := func(checks []journal.CheckResult) {
		for _, c := range checks {
			if c.Verdict == plan.Pass.String() {
				for line := range strings.Lines(c.Got) {
					hits[strings.TrimSpace(line)] = true
				}
			}
		}
	}
	note(r.Checks)
	for _, t := range tries {
		note(t.Checks)
		for _, c := range t.Claims {
			note(c.Checks)
		}
	}
	return hits
}

// lines splits a stream. Where every line is a hit, none is shown as one.
func lines(text string, hits map[string]bool) []outLine {
	var all []outLine
	rest := false
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		line = strings.TrimSuffix(line, "\n")
		hit := strings.TrimSpace(line) != "" && hits[strings.TrimSpace(line)]
		all = append(all, outLine{line, hit})
		rest = rest || !hit
	}
	if !rest {
		for i := range all {
			all[i].Hit = false
		}
	}
	return all
}
