package report

import (
	"html/template"

	"labctl/internal/journal"
)

// Style is how all pages look: colours of verdicts, light and dark as the reader's
// system has it, checks, streams and charts.
func Style() string { return pageStyle }

// Parts parses the templates of another page, each under the number that it has here,
// from 1. They may use what report.html is made of: the templates "text", "whole",
// "badge" and "checks", which never take what a guest printed for markup, and the
// functions "class", "line", "seconds" and the others.
func Parts(sources ...string) (*template.Template, error) {
	return parse(append([]string{pageSource}, sources...)...)
}

// Whole is what pages say of a run as a whole.
type Whole struct {
	// Lab is its name, also where the run never learnt it.
	Lab      string
	Emulated bool
	Facts    []Fact
	Verdict  string
	Troubles []string
	// Unwell are the first few steps that somebody should look at.
	Unwell []journal.StepResult
	// Steps and Claims count verdicts in words: "12 steps: pass 11, fail 1".
	Steps, Claims string
	// ByVerdict counts claims, in the order of reports.
	ByVerdict []Count
	// Restore says what became of the cluster, RestoreVerdict in one of journal's words.
	Restore        []string
	RestoreVerdict string
}

// Summarise makes it of a result.
func Summarise(r journal.Result) Whole {
	unwell := unwellOf(own(r.Plans))
	return Whole{
		Lab:            lab(r),
		Emulated:       emulated(r),
		Facts:          facts(r),
		Verdict:        r.Outcome(),
		Troubles:       troubles(r),
		Unwell:         unwell[:min(len(unwell), 8)],
		Steps:          inWords("step", stepCounts(own(r.Plans))),
		Claims:         inWords("claim", claimCounts(r.Claims)),
		ByVerdict:      claimCounts(r.Claims),
		Restore:        restoreLines(r.Restore),
		RestoreVerdict: r.Restore.Outcome(),
	}
}

// Try is the last attempt of a step on one node, which decides, in the words of
// reports.
type Try struct {
	journal.Attempt
	// Total counts the attempts on the node.
	Total int
	// Ending says how it ended, and what is missing of its output.
	Ending string
}

// Tries are a step's, in the order of the nodes' first attempts. Streams and the
// script are cut in their middle to limit bytes each.
func Tries(s journal.StepResult, limit int) []Try {
	var all []Try
	for _, n := range byNode(s.Attempts) {
		one := Try{Attempt: n.Last, Total: n.Total, Ending: ending(n.Last)}
		one.Script, one.Stdout, one.Stderr = elide(one.Script, limit), elide(one.Stdout, limit), elide(one.Stderr, limit)
		all = append(all, one)
	}
	return all
}

// Why is the reason for a step's verdict, on one line.
func Why(s journal.StepResult) string { return why(s) }

// NeedsALook tells whether somebody should look at a step with this verdict.
func NeedsALook(verdict string) bool { return unwell(verdict) }

// Heading is what a phase is called over its steps.
func Heading(p journal.Phase) string { return heading(p) }

// Chart is the drawing of a step's packets, with its title; empty for a step that has
// none.
func Chart(s journal.StepResult) (title string, drawing template.HTML) {
	if s.Chart == nil {
		return "", ""
	}
	c := newChart(s)
	return c.Title, c.Drawing
}
