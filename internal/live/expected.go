package live

import (
	"cmp"
	"slices"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/report"
)

// expectation is one check with what became of it.
type expectation struct {
	Want string
	// Verdict is empty before it was judged.
	Verdict string
	Got     string
	// Node is where, if nodes differ or only one is asked.
	Node string
}

// shownClaim is a sentence of the write-up, and how it is seen whether it is true.
type shownClaim struct {
	ID, Where, Text string
	// Verdict is empty before it was judged, and so is Because; that one also where it
	// does not explain the verdict.
	Verdict, Because string
	Says, Shows      []expectation
	// Otherwise is the verdict if Shows holds.
	Otherwise string
}

// planned are checks that nothing was judged by yet.
func planned(checks []plan.Check) []expectation {
	var all []expectation
	for _, c := range checks {
		all = append(all, expectation{Want: c.String()})
	}
	return all
}

// results are checks that all nodes were judged by together.
func results(checks []journal.CheckResult) []expectation {
	var all []expectation
	for _, c := range checks {
		all = append(all, expectation{Want: c.Want, Verdict: c.Verdict, Got: missed(report.Try{}, c)})
	}
	return all
}

// missed is what came in place of what was wanted. What a check that holds has found
// is marked in the output, and where it is all of a stream, that stands beside it.
func missed(t report.Try, c journal.CheckResult) string {
	got := strings.TrimSpace(c.Got)
	if c.Verdict == plan.Pass.String() || got == strings.TrimSpace(t.Stdout) || got == strings.TrimSpace(t.Stderr) {
		return ""
	}
	return c.Got
}

// badFirst puts what does not hold where it is seen at once.
func badFirst(all []expectation) []expectation {
	slices.SortStableFunc(all, func(a, b expectation) int {
		bad := func(e expectation) int {
			if report.NeedsALook(e.Verdict) {
				return 0
			}
			return 1
		}
		return bad(a) - bad(b)
	})
	return all
}

// judged are the same checks on all nodes: one line where they came to the same, else
// one for each node.
func judged(tries []report.Try, of func(report.Try) []journal.CheckResult) []expectation {
	type told struct {
		node, missed string
		journal.CheckResult
	}
	var order []string
	byWant := map[string][]told{}
	for _, t := range tries {
		for _, c := range of(t) {
			name := c.Pos + "\x00" + c.Want
			if c.Pos != "" {
				name = c.Pos // what variables stand for may differ
			}
			if byWant[name] == nil {
				order = append(order, name)
			}
			byWant[name] = append(byWant[name], told{t.Node, missed(t, c), c})
		}
	}
	var all []expectation
	for _, name := range order {
		each := byWant[name]
		first := each[0]
		same := !slices.ContainsFunc(each, func(t told) bool {
			return t.Verdict != first.Verdict || t.Want != first.Want || t.missed != first.missed
		})
		if same && len(each) == len(tries) {
			all = append(all, expectation{Want: first.Want, Verdict: first.Verdict, Got: first.missed})
			continue
		}
		for _, t := range each {
			all = append(all, expectation{Want: t.Want, Verdict: t.Verdict, Got: t.missed, Node: t.node})
		}
	}
	return all
}

func ownChecks(t report.Try) []journal.CheckResult { return t.Checks }

// claims are those that a step proves, as far as they are known by now.
func (p *Page) claims(i item) []shownClaim {
	var all []shownClaim
	for _, info := range p.result.Run.Claims {
		if info.Step != i.ID {
			continue
		}
		c := shownClaim{ID: info.ID, Where: info.Where, Text: info.Text, Otherwise: "instead"}
		if known := p.known(i, info.ID); known != nil {
			c.Otherwise = cmp.Or(string(known.Otherwise), c.Otherwise)
			c.Says, c.Shows = planned(known.Says), planned(known.Shows)
		}
		if i.result != nil && i.State != running {
			c.Verdict = string(i.result.Verdicts[info.ID])
			c.Because = info.BecauseOf(i.result.Verdicts[info.ID])
			tries := report.Tries(*i.result, maxStream)
			if says := judged(tries, sideOf(info.ID, plan.Says)); len(says) > 0 {
				c.Says = says
			}
			if shows := judged(tries, sideOf(info.ID, plan.Shows)); len(shows) > 0 {
				c.Shows = shows
			}
		}
		all = append(all, c)
	}
	return all
}

// known is the claim as the lab has it.
func (p *Page) known(i item, id string) *plan.Claim {
	if i.step == nil {
		return nil
	}
	for n := range i.step.Claims {
		if c := &i.step.Claims[n]; c.ID == id {
			return c
		}
	}
	return nil
}

// sideOf picks the checks of one side of a claim.
func sideOf(id string, side plan.Side) func(report.Try) []journal.CheckResult {
	return func(t report.Try) []journal.CheckResult {
		var all []journal.CheckResult
		for _, c := range t.Claims {
			for _, check := range c.Checks {
				if c.ID == id && check.Side == side {
					all = append(all, check)
				}
			}
		}
		return all
	}
}
