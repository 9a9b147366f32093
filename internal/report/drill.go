package report

import (
	"fmt"
	"io"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// own are the lab's own plans. The checks of a learner's fix are not among them:
// one that did not pass is no step that somebody must look at.
func own(plans []journal.PlanResult) []journal.PlanResult {
	var all []journal.PlanResult
	for _, p := range plans {
		if p.Phase != journal.Drill {
			all = append(all, p)
		}
	}
	return all
}

// drillName is "drill 3 of 6: what the learner was told".
func drillName(d journal.DrillResult) string {
	return fmt.Sprintf("drill %d of %d: %s", d.Number, d.Of, d.Title)
}

// drillFacts are what there is to say of a drill, in the order of reports.
func drillFacts(d journal.DrillResult) []Fact {
	all := []Fact{{"drill", line(d.Verdict, 20)}, {"cause", line(d.Cause, 200)}}
	if d.Verdict == journal.DrillNotSet {
		return all
	}
	var answers, tries []string
	for _, a := range d.Answers {
		word := "wrong"
		if a.Verdict == plan.Pass.String() {
			word = "right"
		}
		answers = append(answers, fmt.Sprintf("%s after %s: %s", word, seconds(a.Seconds), a.Cause))
	}
	for _, t := range d.Tries {
		text := fmt.Sprintf("%s after %s", orNotRun(t.Verdict), seconds(t.Seconds))
		if t.At != "" {
			text += " at " + t.At
		}
		tries = append(tries, text)
	}
	listed := func(name, none string, list []string) {
		if len(list) == 0 {
			all = append(all, Fact{name, none})
			return
		}
		all = append(all, Fact{name, fmt.Sprintf("%d: %s", len(list), strings.Join(list, "; "))})
	}
	listed("diagnosis", "none", answers)
	listed("fix", "never checked", tries)
	listed("hints", "none", d.Hints)
	return append(all, Fact{"took", seconds(d.Seconds)})
}

func consoleDrill(w io.Writer, d journal.DrillResult) {
	fmt.Fprintln(w)
	paragraph(w, "", line(drillName(d), 400))
	for _, f := range drillFacts(d) {
		if f.Name == "cause" && d.Verdict == journal.DrillCut {
			continue // whoever left it may come back to it
		}
		paragraph(w, fmt.Sprintf("  %s: ", f.Name), line(f.Value, 600))
	}
	fmt.Fprintln(w)
}

// maxMarkdownDrill is how much of report.md a drill takes: more than what a learner
// does in an hour. What did not pass needs the rest.
const maxMarkdownDrill = 2 << 10

func markdownDrill(b *strings.Builder, d journal.DrillResult) {
	fmt.Fprintf(b, "\n## Drill\n\n%s\n\n| | |\n|---|---|\n", inline(drillName(d), 200))
	begin := b.Len()
	for _, f := range drillFacts(d) {
		if b.Len()-begin > maxMarkdownDrill {
			b.WriteString("\nWhole in " + HTMLFile + ".\n")
			return
		}
		row(b, f.Name, f.Value)
	}
}

// drillSuite has one case: a failure for a drill that was given up, an error for
// one of which nobody can tell.
func drillSuite(r journal.Result) junitSuite {
	s := junitSuite{Name: "drill", started: r.Started}
	if r.Drill == nil {
		return s
	}
	d := *r.Drill
	var b strings.Builder
	for _, f := range drillFacts(d) {
		block(&b, f.Name+": ", short(f.Value))
	}
	c := junitCase{Name: "solved", Class: visible(lab(r)) + ".drill", milliseconds: milliseconds(d.Seconds)}
	message := line(d.Verdict+": "+drillName(d), 400)
	switch d.Verdict {
	case journal.DrillSolved:
		c.Out = text(b.String())
	case journal.DrillGaveUp:
		c.Failure = outcome("drill", message, b.String())
	default:
		c.Error = outcome("drill", message, b.String())
	}
	s.Cases = append(s.Cases, c)
	return s
}

// pageDrill is a drill on the page.
type pageDrill struct {
	Name, Verdict string
	Facts         []Fact
}

func newDrill(r journal.Result) *pageDrill {
	if r.Drill == nil {
		return nil
	}
	return &pageDrill{Name: drillName(*r.Drill), Verdict: r.Drill.Verdict, Facts: drillFacts(*r.Drill)[1:]}
}
