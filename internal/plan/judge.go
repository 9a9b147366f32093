package plan

import (
	"fmt"
	"maps"
	"slices"

	"labctl/internal/remote"
)

// Outcome is what one attempt on one node comes to.
type Outcome struct {
	Verdict Verdict
	// Results of the step's checks, of the implied exit code 0, of the captures
	// that found nothing, and of the claims that this node leaves undecided.
	Results []Result
	// Captured holds what the step's captures found.
	Captured map[string]string
	// Claims of the step, as far as they concern this node.
	Claims []ClaimResult

	// ground is the worst of the step's own checks and captures: claims stand on
	// them.
	ground Verdict
	// same has what the checks of that kind found.
	same map[sameKey]string
}

// Judge judges one attempt on one node. Vars are those of earlier steps; what
// the step itself captures is added inside. Checks of other nodes are left out,
// and so is what only the nodes together can tell; see JudgeNodes.
func (s Step) Judge(node string, out remote.Output, vars map[string]string) Outcome {
	o := Outcome{Verdict: Pass, Captured: map[string]string{}, ground: Pass, same: map[sameKey]string{}}
	text := streamsOf(out)
	missed := s.capture(&o, text.stdout, vars)

	known := maps.Clone(vars)
	if known == nil {
		known = map[string]string{}
	}
	maps.Copy(known, o.Captured)
	own := judging{node: node, out: out, streams: text, vars: known, captures: s.Capture, ran: commandRan(out), same: o.same}

	if s.impliesExit(node) {
		zero := 0
		o.add(own.check(Check{Exit: &zero, Pos: s.Pos}, sameKey{}))
	}
	own = own.asking(s.Checks)
	for i, c := range s.Checks {
		if c.concerns(node) {
			o.add(own.check(c, sameKey{check: i}))
		}
	}
	for _, r := range missed {
		o.add(r)
	}
	o.ground = o.Verdict
	for _, c := range s.Claims {
		r := own.claim(c)
		o.Claims = append(o.Claims, r)
		if undecided, bad := c.undecidedOn(r, node); bad {
			o.add(undecided)
		}
	}
	return o
}

// Own is the worst of the step's own checks and captures, without its claims.
func (o Outcome) Own() Verdict { return o.ground }

func (o *Outcome) add(r Result) {
	o.Results = append(o.Results, r)
	o.Verdict = o.Verdict.Worse(r.Verdict)
}

// capture takes what the step's captures find and returns a result for each
// that finds nothing.
func (s Step) capture(o *Outcome, stdout func() string, vars map[string]string) []Result {
	var missed []Result
	for _, name := range slices.Sorted(maps.Keys(s.Capture)) {
		p, err := s.Capture[name].With(vars)
		r := Result{Pos: s.Pos, Want: fmt.Sprintf("stdout matches /%s/, to capture %s", s.Capture[name].Expression(), name)}
		if err != nil {
			r.Verdict, r.Got = Error, err.Error()
			missed = append(missed, r)
			continue
		}
		if value, ok := p.find(stdout()); ok {
			o.Captured[name] = value
			continue
		}
		r.Verdict, r.Got = Fail, shorten(stdout())
		missed = append(missed, r)
	}
	return missed
}

// impliesExit says that nothing is said about the exit code on this node.
func (s Step) impliesExit(node string) bool {
	if s.Stop != "" {
		return false
	}
	lists := [][]Check{s.Checks}
	for _, c := range s.Claims {
		lists = append(lists, c.Says, c.Shows)
	}
	for _, list := range lists {
		for _, c := range list {
			if c.Exit != nil && c.concerns(node) {
				return false
			}
		}
	}
	return true
}

// concerns says that the check is about this node.
func (c Check) concerns(node string) bool { return c.Node == "" || c.Node == node }

// commandRan says that the script's command was found, could be executed and
// came to its end. Else its silence proves nothing.
func commandRan(out remote.Output) bool {
	return !out.TimedOut && out.Exit != 126 && out.Exit != 127
}
