package report

import (
	"cmp"
	"fmt"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// tries are the attempts of a step on one node. The last decides.
type tries struct {
	Node  string
	Total int
	Last  journal.Attempt
	// First and Recent are those before the last, as far as they are shown; Left
	// counts those between the two.
	First, Recent []journal.Attempt
	Left          int
}

// The first attempts show how it began, the recent ones whether anything moved.
const (
	showFirst  = 3
	showRecent = 7
)

// byNode sorts attempts by node, in the order of the nodes' first.
func byNode(attempts []journal.Attempt) []tries {
	var nodes []string
	of := map[string][]journal.Attempt{}
	for _, a := range attempts {
		if of[a.Node] == nil {
			nodes = append(nodes, a.Node)
		}
		of[a.Node] = append(of[a.Node], a)
	}
	var all []tries
	for _, node := range nodes {
		last := len(of[node]) - 1
		before := of[node][:last]
		t := tries{Node: node, Total: last + 1, Last: of[node][last], First: before}
		if len(before) > showFirst+showRecent {
			t.First = before[:showFirst]
			t.Recent = before[len(before)-showRecent:]
			t.Left = len(before) - showFirst - showRecent
		}
		all = append(all, t)
	}
	return all
}

// why is the reason for a step's verdict, on one line.
func why(s journal.StepResult) string {
	const limit = 400
	if s.Accepted && unwell(s.Outcome()) {
		s.Accepted = false
		return line("accepted by the instructor; "+why(s), limit)
	}
	if s.Error != "" {
		return line(s.Error, limit)
	}
	for _, t := range byNode(s.Attempts) {
		if w := whyAttempt(t.Last); w != "" {
			return line("on "+t.Node+": "+w, limit)
		}
	}
	if s.Verdict == "" && !s.Started.IsZero() {
		return "the record ends in this step"
	}
	return orNotRun(s.Verdict)
}

// whyAttempt is what did not hold in an attempt; empty if all did.
func whyAttempt(a journal.Attempt) string {
	if a.Error != "" {
		return a.Error
	}
	for _, c := range a.Checks {
		if c.Verdict == plan.Pass.String() {
			continue
		}
		// Of a claim with one side, that side's check says more than "it does not hold".
		if of, ok := journal.Undecided(c, a.Claims); ok && len(of.Checks) > 0 && (of.Says == "") != (of.Shows == "") {
			c.Want, c.Got = c.Want+": "+of.Checks[0].Want, of.Checks[0].Got
		}
		if c.Got == "" {
			return c.Want
		}
		return c.Want + "; got: " + c.Got
	}
	return ""
}

// account tells a step whole: what ran where, what came, what each check says.
// Of each stream it shows limit bytes.
func account(s journal.StepResult, limit int) string {
	var b strings.Builder
	block(&b, "error: ", short(s.Error))
	block(&b, "hint: ", short(s.Hint))
	for _, n := range s.Notes {
		block(&b, "note: ", short(n))
	}
	for _, t := range byNode(s.Attempts) {
		of := ""
		if t.Total > 1 {
			of = fmt.Sprintf(", attempt %d of %d", t.Total, t.Total)
		}
		fmt.Fprintf(&b, "on %s%s: %s\n", visible(t.Node), of, visible(orNotRun(t.Last.Verdict)))
		accountAttempt(&b, t.Last, limit)
		accountEarlier(&b, t)
	}
	return b.String()
}

func accountAttempt(b *strings.Builder, a journal.Attempt, limit int) {
	block(b, "  $ ", elide(a.Script, limit))
	block(b, "  | ", elide(a.Stdout, limit))
	block(b, "  ! ", elide(a.Stderr, limit))
	block(b, "  error: ", short(a.Error))
	fmt.Fprintf(b, "  %s\n", ending(a))
	checks(b, "  ", a.Checks)
	for _, c := range a.Claims {
		fmt.Fprintf(b, "  claim %s: what it says: %s; what is known instead: %s\n",
			visible(c.ID), cmp.Or(visible(c.Says), "no checks"), cmp.Or(visible(c.Shows), "no checks"))
		checks(b, "    ", c.Checks)
	}
}

func accountEarlier(b *strings.Builder, t tries) {
	each := func(attempts []journal.Attempt) {
		for _, a := range attempts {
			fmt.Fprintf(b, "  attempt %s: %s, %s: %s\n", attemptOf(a), visible(orNotRun(a.Verdict)), ending(a), line(whyAttempt(a), 200))
		}
	}
	each(t.First)
	if t.Left > 0 {
		fmt.Fprintf(b, "  … %d attempts left out …\n", t.Left)
	}
	each(t.Recent)
}

// ending says how an attempt ended, and what is missing of its output.
func ending(a journal.Attempt) string {
	parts := []string{fmt.Sprintf("exit %d after %s", a.Exit, seconds(a.Seconds))}
	if a.TimedOut {
		parts[0] = "killed when its time was over, after " + seconds(a.Seconds)
	} else if a.Error != "" {
		parts[0] = "ended after " + seconds(a.Seconds)
	}
	if a.Held {
		parts = append(parts, "a process it left behind held the output open")
	}
	if a.Elided > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes of output are only in the files", a.Elided))
	}
	if a.Dropped > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes of output were dropped", a.Dropped))
	}
	return strings.Join(parts, "; ")
}

func checks(b *strings.Builder, indent string, results []journal.CheckResult) {
	for _, c := range results {
		block(b, fmt.Sprintf("%s%-5s ", indent, line(c.Verdict, 20)), short(c.Want))
		if c.Verdict == plan.Pass.String() {
			continue
		}
		block(b, indent+"      got: ", short(c.Got))
		block(b, indent+"      at: ", short(c.Pos))
	}
}

// block writes text with a prefix on each line; nothing for no text.
func block(b *strings.Builder, prefix, text string) {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return
	}
	for l := range strings.Lines(text) {
		b.WriteString(prefix)
		b.WriteString(visible(strings.TrimRight(l, "\n")))
		b.WriteByte('\n')
	}
}

// unwellOf are the steps that somebody should look at, in their order.
func unwellOf(plans []journal.PlanResult) []journal.StepResult {
	var all []journal.StepResult
	for _, p := range plans {
		for _, s := range p.Steps {
			if unwell(s.Outcome()) {
				all = append(all, s)
			}
		}
	}
	return all
}
