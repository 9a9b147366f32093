package report

import (
	"fmt"
	"html/template"
	"path/filepath"
	"strings"

	"labctl/internal/journal"
)

// page is what report.html shows, in its order.
type page struct {
	Policy string
	Style  template.CSS
	Run    journal.Run
	Hint   string
	Whole
	Drill  *pageDrill
	Tables []pageTable
	Counts []pageCount
	Rows   []pageClaim
	Plans  []pagePlan
	Left   []pageStage
}

// pageCount is a verdict of claims with the number that its filter goes by.
type pageCount struct {
	Index int
	Count
}

type pageClaim struct {
	journal.ClaimRow
	Verdict string
	Filter  int
	// HasStep says that the page has the step to link to.
	HasStep bool
}

type pagePlan struct {
	journal.PlanResult
	Heading string
	Verdict string
	Time    string
	Steps   []pageStep
}

type pageStep struct {
	journal.StepResult
	// Anchor is where a link to it leads. A step that checked a learner's fix may be
	// on the page more than once.
	Anchor  string
	Verdict string
	Time    string
	Why     string
	Open    bool
	Tries   []pageTries
	Picture *pageChart
	// From and Width place the step on the timeline, in percent of the run.
	From, Width float64
}

type pageTries struct {
	Node    string
	Total   int
	Last    pageAttempt
	Earlier []pageEarlier
}

type pageAttempt struct {
	journal.Attempt
	Verdict, Ending string
	OutFile         string // empty if there is none to link to
	ErrFile         string
	Script          string
	Stdout, Stderr  string
}

// pageEarlier is an attempt before the last, or a gap between two.
type pageEarlier struct {
	Number, Verdict, Ending, Why string
	Left                         int
}

type pageStage struct {
	Name     string
	Differed string // "3 pieces differed"
	Left     []pageDifference
}

type pageDifference struct {
	Node, Section  string
	Missing, Extra string
}

func newPage(r journal.Result) page {
	p := page{
		Policy: policy(pageStyle),
		Style:  template.CSS(pageStyle),
		Run:    r.Run,
		Hint:   r.Hint,
		Whole:  Summarise(r),
		Drill:  newDrill(r),
	}
	steps := map[string]bool{}
	span := spanOf(r)
	tries := 0
	for _, pl := range r.Plans {
		one := pagePlan{
			PlanResult: pl,
			Heading:    heading(pl.Phase),
			Verdict:    orNotRun(pl.Verdict),
			Time:       seconds(pl.Seconds),
		}
		before := ""
		if pl.Phase == journal.Drill {
			tries++
			before = fmt.Sprintf("d%d", tries)
			one.Heading += fmt.Sprintf(" %d", tries)
		}
		for _, s := range pl.Steps {
			step := newStep(s, span)
			step.Anchor = before + step.Anchor
			steps[s.ID] = steps[s.ID] || before == ""
			one.Steps = append(one.Steps, step)
		}
		p.Plans = append(p.Plans, one)
	}
	p.Tables = newTables(r.Tables, steps)
	index := map[string]int{}
	for i, c := range claimCounts(r.Claims) {
		index[c.Verdict] = i + 1
		p.Counts = append(p.Counts, pageCount{i + 1, c})
	}
	for _, c := range r.Claims {
		v := string(c.Outcome())
		p.Rows = append(p.Rows, pageClaim{ClaimRow: c, Verdict: v, Filter: index[v], HasStep: steps[c.Step]})
	}
	for _, s := range stages {
		if left := r.Restore.Left[s.Stage]; len(left) > 0 {
			p.Left = append(p.Left, newStage(s.Name, left))
		}
	}
	return p
}

func heading(p journal.Phase) string {
	switch p {
	case journal.Steps:
		return "Steps"
	case journal.Drill:
		return "Check of the fix"
	case journal.Teardown:
		return "Teardown"
	case journal.Repair:
		return "Repair"
	}
	return string(p)
}

func newStep(s journal.StepResult, t span) pageStep {
	v := s.Outcome()
	one := pageStep{StepResult: s, Anchor: anchor(s.ID), Verdict: v, Time: seconds(s.Seconds)}
	one.Open = unwell(v)
	if one.Open || s.Error != "" {
		one.Why = why(s)
	}
	if s.Chart != nil {
		// Those of a table's rows are many, and wait until they are asked for.
		one.Picture, one.Open = newChart(s), one.Open || s.Table == ""
	}
	one.From, one.Width = t.place(s)
	for _, n := range byNode(s.Attempts) {
		each := pageTries{Node: n.Node, Total: n.Total, Last: pageAttempt{
			Attempt: n.Last,
			Verdict: orNotRun(n.Last.Verdict),
			Ending:  ending(n.Last),
			Script:  elide(n.Last.Script, maxHTMLScript),
			OutFile: inFolder(n.Last.StdoutFile),
			ErrFile: inFolder(n.Last.StderrFile),
			Stdout:  elide(n.Last.Stdout, maxHTMLStream),
			Stderr:  elide(n.Last.Stderr, maxHTMLStream),
		}}
		earlier := func(attempts []journal.Attempt) {
			for _, a := range attempts {
				each.Earlier = append(each.Earlier, pageEarlier{
					Number: attemptOf(a), Verdict: orNotRun(a.Verdict), Ending: ending(a),
					Why: line(whyAttempt(a), maxHTMLEarlier),
				})
			}
		}
		earlier(n.First)
		if n.Left > 0 {
			each.Earlier = append(each.Earlier, pageEarlier{Left: n.Left})
		}
		earlier(n.Recent)
		one.Tries = append(one.Tries, each)
	}
	return one
}

// inFolder is the name of a file in the run's folder; empty if it is not.
func inFolder(name string) string {
	if !filepath.IsLocal(name) || strings.Contains(name, ":") {
		return ""
	}
	return name
}

func newStage(name string, left []journal.Difference) pageStage {
	const most = 200 // lines of each side
	stage := pageStage{Name: name, Differed: differed(len(left))}
	for _, d := range left {
		var missing, extra strings.Builder
		side(&missing, "- ", d.Missing, most)
		side(&extra, "+ ", d.Extra, most)
		stage.Left = append(stage.Left, pageDifference{d.Node, d.Section, missing.String(), extra.String()})
	}
	return stage
}
