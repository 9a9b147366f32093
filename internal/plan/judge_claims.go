package plan

import "fmt"

// claim judges both sides of a claim on this node.
func (j judging) claim(c Claim) ClaimResult {
	r := ClaimResult{ID: c.ID, Says: Skipped, Shows: Skipped}
	side := func(list []Check, v *Verdict, key sameKey) {
		ask := j.asking(list)
		for i, check := range list {
			if !check.concerns(j.node) {
				continue
			}
			key.check = i
			result := ask.check(check, key)
			result.Side = Says
			if key.shows {
				result.Side = Shows
			}
			*v = v.Worse(result.Verdict)
			r.Results = append(r.Results, result)
		}
	}
	side(c.Says, &r.Says, sameKey{claim: c.ID})
	side(c.Shows, &r.Shows, sameKey{claim: c.ID, shows: true})
	return r
}

// undecidedOn is what one node has against a claim. Where a side has checks
// that only other nodes, or all of them together, can answer, it has nothing.
func (c Claim) undecidedOn(r ClaimResult, node string) (Result, bool) {
	elsewhere := spans(c.Says, node) || spans(c.Shows, node)
	switch {
	case r.Says == Skipped && r.Shows == Skipped:
		return Result{}, false
	case r.Says == Pass && r.Shows == Pass && elsewhere:
		return Result{}, false
	case r.Says == Fail && r.Shows == Skipped && len(c.Shows) > 0:
		return Result{}, false
	case r.Shows == Fail && r.Says == Skipped && len(c.Says) > 0:
		return Result{}, false
	}
	_, verdict, got := c.decide(r.Says, r.Shows)
	return c.result(verdict, got), verdict > Pass
}

// spans says that some of the checks need more than this node.
func spans(list []Check, node string) bool {
	for _, c := range list {
		if c.Same != nil || !c.concerns(node) {
			return true
		}
	}
	return false
}

// decide is the rule: just one of the two sides holds.
func (c Claim) decide(says, shows Verdict) (ClaimVerdict, Verdict, string) {
	switch {
	case says == Error || shows == Error:
		return Ambiguous, Error, "its checks cannot be judged"
	case says == Pass && shows == Pass:
		return Ambiguous, Error, "both hold: its checks do not tell them apart"
	case says == Pass:
		return Holds, Pass, ""
	case shows == Pass && len(c.Says) == 0:
		return Answered, Pass, ""
	case shows == Pass:
		return c.Otherwise, Pass, ""
	case says == Skipped && shows == Skipped:
		return Ambiguous, Error, "no node can judge it"
	}
	if len(c.Says) == 0 || len(c.Shows) == 0 {
		return Contested, Fail, "it does not hold"
	}
	return Contested, Fail, "neither holds"
}

func (c Claim) result(v Verdict, got string) Result {
	want := "what it says, or what is known instead"
	switch {
	case len(c.Shows) == 0:
		want = "what it says"
	case len(c.Says) == 0:
		want = "what is known"
	}
	return Result{Verdict: v, Want: fmt.Sprintf("claim %s: %s", c.ID, want), Got: got, Pos: c.Pos, Claim: c.ID}
}
