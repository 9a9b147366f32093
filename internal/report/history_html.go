package report

import (
	_ "embed" // the page and what its style adds
	"fmt"
	"html/template"
	"slices"
	"strings"

	"labctl/internal/compare"
	"labctl/internal/plan"
)

//go:embed history.html.tmpl
var historySource string

//go:embed history.css
var historyStyle string

// HistoryHTML returns a page with the history of labs: like report.html it is one
// file that needs no network and runs no scripts.
func HistoryHTML(all []compare.History) ([]byte, error) {
	p := historyPage{
		Policy: policy(pageStyle, historyStyle), Styles: []template.CSS{template.CSS(pageStyle), template.CSS(historyStyle)},
		Title: "History", FlakyRule: compare.FlakyRule, MarginRule: compare.MarginRule, ChangeRule: compare.ChangeRule,
	}
	for i, h := range all {
		p.Labs = append(p.Labs, newHistoryLab(i, h))
	}
	if len(all) == 1 {
		p.Title = "History of " + all[0].Lab
	}
	return fill(p, pageSource, historySource)
}

// historyPage is what the page shows.
type historyPage struct {
	Policy                            string
	Styles                            []template.CSS
	Title                             string
	Labs                              []historyLab
	FlakyRule, MarginRule, ChangeRule string
}

type historyLab struct {
	Lab, Anchor string
	// Verdict is that of the newest run, Newest says which that is.
	Verdict, Newest string
	Summary         []string
	Troubles        int
	Emulated        bool
	Plots           []historyPlot
	Changes         []historyChange
	Flaky           []historyFlaky
	Margins         []historyMargin
	Grid            historyGrid
	Runs            []historyRun
}

type historyChange struct {
	compare.Change
	FromRun, ToRun       historyLink
	Before, After        string
	FromDay, ToDay, What string
}

type historyFlaky struct {
	compare.Flaky
	Often string
	Where string
	Runs  []historyLink
}

type historyMargin struct {
	compare.Margin
	Where, Used, Of, First, Last, Span string
	// From and To are where the bar was and is, in percent of the limit.
	From, To float64
}

type historyRun struct {
	compare.Line
	Anchor, When, Took, Claims, Restored string
}

// historyLink leads to a run's line.
type historyLink struct {
	Number int
	Anchor string
}

func newHistoryLab(index int, h compare.History) historyLab {
	link := func(number int) historyLink { return historyLink{number, fmt.Sprintf("r%d-%d", index, number)} }
	one := historyLab{
		Lab: h.Lab, Anchor: fmt.Sprintf("lab%d", index),
		Plots: append(wholePlots(h), stepPlots(h)...), Grid: newHistoryGrid(h, link),
	}
	var verdicts []string
	for i := len(h.Runs) - 1; i >= 0; i-- { // the newest first: it is what one looks for
		l := h.Runs[i]
		verdicts = append(verdicts, l.Verdict)
		one.Emulated = one.Emulated || l.Accelerator == "tcg"
		if l.Trouble != "" {
			one.Troubles++
		}
		one.Runs = append(one.Runs, historyRun{
			Line: l, Anchor: link(l.Number).Anchor, When: minute(l), Took: took(l), Claims: countWords(l, ", "), Restored: restoredWord(l),
		})
	}
	newest := newestOf(h)
	one.Verdict = newest.Verdict
	one.Newest = fmt.Sprintf("run %d, %s UTC, %s", newest.Number, minute(newest), joined(newest.Kubernetes, newest.Kernel, newest.Accelerator))
	one.Summary = []string{
		inWords("run", tally(verdicts, stepOrder)),
		fmt.Sprintf("%s, %s, %s", plural(len(h.Flaky), "flaky step"), plural(len(h.Margins), "margin")+" that "+verb(len(h.Margins), "shrinks", "shrink"), plural(len(h.Changes), "changed verdict")),
	}
	for _, c := range slices.Backward(h.Changes) {
		from, to := h.Runs[c.From-1], h.Runs[c.To-1]
		one.Changes = append(one.Changes, historyChange{
			Change: c, FromRun: link(c.From), ToRun: link(c.To), Before: string(c.Before), After: string(c.After),
			FromDay: day(from), ToDay: day(to), What: strings.Join(versions(h, from, to), ", "),
		})
	}
	for _, f := range h.Flaky {
		row := historyFlaky{Flaky: f, Often: howOften(f), Where: joined(f.Kubernetes, shortKernel(h, f.Kernel), f.Accelerator)}
		for _, n := range f.Not {
			row.Runs = append(row.Runs, link(n))
		}
		one.Flaky = append(one.Flaky, row)
	}
	for _, m := range h.Margins {
		one.Margins = append(one.Margins, historyMargin{
			Margin: m, Where: joined(shortKernel(h, m.Kernel), m.Accelerator), Used: used(m.Newest), Of: limitName(m.Newest),
			First: percent(m.Before), Last: percent(m.Now), Span: fmt.Sprintf("%d runs, %d to %d", m.Runs, m.From, m.To),
			From: min(100, 100*m.Before), To: min(100, 100*m.Now),
		})
	}
	return one
}

// newestOf is the newest run that tells something of the lab; of drills and
// sabotage alone the newest of those.
func newestOf(h compare.History) compare.Line {
	for _, l := range slices.Backward(h.Runs) {
		if ofTheLab(l) {
			return l
		}
	}
	return h.Runs[len(h.Runs)-1]
}

// ofTheLab tells whether what failed in a run says something of its lab.
func ofTheLab(l compare.Line) bool { return l.Kind == compare.Whole || l.Kind == compare.Part }

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// letter stands for the verdict of a claim where there is no room for words.
func letter(v plan.ClaimVerdict) string {
	switch v {
	case plan.Holds, plan.Moved, plan.Wrong, plan.Answered:
		return strings.ToUpper(string(v[:1]))
	case plan.Contested:
		return "F"
	case plan.Ambiguous:
		return "E"
	case plan.NotShown:
		return "n"
	case plan.AboutPaper:
		return "d"
	case plan.NotJudged:
		return "·"
	}
	return "?"
}
