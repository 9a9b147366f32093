package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// sameKey names a check of the kind Same within its step: its place among the
// step's checks, or among those of one side of a claim.
type sameKey struct {
	claim string
	shows bool
	check int
}

// findSame finds the value on one node.
func (j judging) findSame(c Check, key sameKey) Result {
	v := &values{vars: j.vars}
	p := v.pattern(c.Same)
	text := j.stdout()
	r := Result{Verdict: Fail, Want: sameWords(p), Got: shorten(text), Pos: c.Pos}
	if v.err != nil {
		r.Verdict, r.Got = j.unknown(v.err)
		return r
	}
	value, ok := p.find(text)
	switch {
	case ok:
		r.Verdict, r.Got = Pass, shorten(fmt.Sprintf("%q", value))
		if j.same != nil {
			j.same[key] = value
		}
	case j.out.Dropped > 0:
		r.Verdict, r.Got = Error, fmt.Sprintf("%d bytes of output were dropped: nobody knows", j.out.Dropped)
	}
	return r
}

func sameWords(p *Pattern) string {
	return fmt.Sprintf("stdout matches /%s/, the same on every node", p.Expression())
}

// JudgeNodes judges a step over all its nodes, each with the outcome of its
// decisive attempt, and an Outcome of verdict Error alone where there was none to
// judge. It returns the worst verdict, the results that only the nodes together
// give (values that differ, claims that come out differently), and what became of
// each claim: Holds, its Otherwise, Answered, Contested or Ambiguous. A claim
// stands on its step: where the step's own checks fail or cannot be judged, so
// does the claim.
func JudgeNodes(s Step, outcomes map[string]Outcome) (Verdict, []Result, map[string]ClaimVerdict) {
	n := together{nodes: slices.Sorted(maps.Keys(outcomes)), outcomes: outcomes}
	var results []Result
	verdict, ground := NotRun, NotRun
	for _, o := range outcomes {
		verdict = verdict.Worse(o.Verdict)
		ground = ground.Worse(o.ground)
	}
	add := func(r Result) {
		results = append(results, r)
		verdict = verdict.Worse(r.Verdict)
	}
	for i, c := range s.Checks {
		if r, differs := n.differs(c, sameKey{check: i}); differs {
			ground = ground.Worse(r.Verdict)
			add(r)
		}
	}
	claims := map[string]ClaimVerdict{}
	for _, c := range s.Claims {
		became, extra := n.claim(c, ground)
		claims[c.ID] = became
		for _, r := range extra {
			add(r)
		}
	}
	return verdict, results, claims
}

// together is all nodes of a step.
type together struct {
	nodes    []string
	outcomes map[string]Outcome
}

// differs compares what the nodes found for one check.
func (n together) differs(c Check, key sameKey) (Result, bool) {
	if c.Same == nil {
		return Result{}, false
	}
	var found []string
	values := map[string]bool{}
	for _, node := range n.nodes {
		if value, ok := n.outcomes[node].same[key]; ok {
			values[value] = true
			found = append(found, fmt.Sprintf("%q on %s", value, node))
		}
	}
	r := Result{Verdict: Fail, Want: sameWords(c.Same), Got: shorten(strings.Join(found, ", ")), Pos: c.Pos}
	return r, len(values) > 1
}

// claim combines the nodes: a side holds if it holds on each node that it has
// checks for.
func (n together) claim(c Claim, ground Verdict) (ClaimVerdict, []Result) {
	says, shows := Skipped, Skipped
	told := false
	var where []string
	for _, node := range n.nodes {
		o := n.outcomes[node]
		i := slices.IndexFunc(o.Claims, func(r ClaimResult) bool { return r.ID == c.ID })
		if i < 0 {
			// Its attempt has an error of its own to show.
			says, shows, told = Error, Error, true
			continue
		}
		r := o.Claims[i]
		says, shows = says.Worse(r.Says), shows.Worse(r.Shows)
		where = append(where, fmt.Sprintf("on %s: says %s, shows %s", node, sideWord(r.Says), sideWord(r.Shows)))
		_, bad := c.undecidedOn(r, node)
		told = told || bad
	}
	var results []Result
	side := func(list []Check, v *Verdict, shows bool) {
		for i, check := range list {
			if r, differs := n.differs(check, sameKey{claim: c.ID, shows: shows, check: i}); differs {
				*v = v.Worse(Fail)
				where = append(where, r.Got)
			}
		}
	}
	side(c.Says, &says, false)
	side(c.Shows, &shows, true)

	became, verdict, got := c.decide(says, shows)
	if verdict > Pass && !told {
		results = append(results, c.result(verdict, shorten(got+" ("+strings.Join(where, "; ")+")")))
	}
	switch {
	case ground == Error:
		became = Ambiguous
	case ground == Fail && became != Ambiguous:
		became = Contested
	}
	return became, results
}

func sideWord(v Verdict) string {
	switch v {
	case Pass:
		return "holds"
	case Fail:
		return "does not"
	case Error:
		return "error"
	}
	return "nothing"
}
