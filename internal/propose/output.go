package propose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"labctl/internal/plan"
	"labctl/internal/remote"
)

// output is what a step printed on one node in the end.
type output struct {
	step plan.Step
	node string
	remote.Output
	vars    map[string]string
	outcome plan.Outcome
	// earlier are attempts that ended in the same way.
	earlier []remote.Output
}

// outputsOf are the last attempts of a step on each node, and in each row, judged
// by the step as it is now.
func outputsOf(shown []shown, steps []plan.Step) []output {
	var all []output
	place := map[string]int{}
	for _, s := range shown {
		key := fmt.Sprintf("%s %s %d", s.Step.ID, s.Node, s.run)
		o := output{step: s.Step, node: s.Node, Output: s.Output, vars: s.Vars}
		if i, again := place[key]; again {
			if before := all[i]; before.Exit == o.Exit && before.TimedOut == o.TimedOut {
				o.earlier = append(before.earlier, before.Output)
			}
			all[i] = o
			continue
		}
		place[key] = len(all)
		all = append(all, o)
	}
	first := map[string]output{}
	for key, i := range place {
		if strings.HasSuffix(key, " 0") {
			first[all[i].step.ID+" "+all[i].node] = all[i]
		}
	}
	// A further run that went wrong there shows nothing of what is expected.
	all = slices.DeleteFunc(all, func(o output) bool {
		f, ok := first[o.step.ID+" "+o.node]
		return !ok || o.Exit != f.Exit || o.TimedOut != f.TimedOut
	})
	return judged(all, steps)
}

// judged are the outputs, judged by steps.
func judged(outputs []output, steps []plan.Step) []output {
	byID := map[string]plan.Step{}
	for _, s := range steps {
		byID[s.ID] = s
	}
	var all []output
	for _, o := range outputs {
		o.step = byID[o.step.ID]
		o.outcome = o.step.Judge(o.node, o.Output, o.vars)
		all = append(all, o)
	}
	return all
}

// wrong counts what does not hold of the steps' own checks. Claims are the
// write-up's: what they say is not for a run to change.
func wrong(outputs []output) int {
	n := 0
	for _, o := range outputs {
		if o.outcome.Own() == plan.Pass {
			continue
		}
		for _, r := range o.outcome.Results {
			if r.Verdict > plan.Pass {
				n++
			}
		}
	}
	return n
}

// known are the variables that the checks see.
func (o output) known() map[string]string {
	all := maps.Clone(o.vars)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, o.outcome.Captured)
	return all
}

// failed returns what does not hold of what stands at a place.
func failed(outputs []output, pos string) []plan.Result {
	var all []plan.Result
	for _, o := range outputs {
		for _, r := range o.outcome.Results {
			if r.Pos == pos && r.Verdict > plan.Pass {
				all = append(all, r)
			}
		}
	}
	return all
}

// on are the outputs that a check is about.
func on(outputs []output, node string) []output {
	if node == "" {
		return outputs
	}
	var all []output
	for _, o := range outputs {
		if o.node == node {
			all = append(all, o)
		}
	}
	return all
}

// The streams that a check may be about.
const (
	stdout   = "stdout"
	stderr   = "stderr"
	combined = "combined"
)

// stream returns the lines of one, as checks see them.
func stream(name string, out remote.Output) []string {
	text := string(out.Stdout)
	switch name {
	case stderr:
		text = string(out.Stderr)
	case combined:
		if len(out.Stdout) > 0 && len(out.Stderr) > 0 && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += string(out.Stderr)
	}
	if text = plan.Normalise(text); text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// texts are a stream of the outputs, and of earlier attempts those that show what
// varies.
func texts(name string, outputs []output) []text {
	var all []text
	for _, o := range outputs {
		last := text{stream(name, o.Output), o.known()}
		all = append(all, last)
		for _, e := range o.earlier {
			if earlier := (text{stream(name, e), last.vars}); varies(last, earlier) {
				all = append(all, earlier)
			}
		}
	}
	return all
}

// telling are the streams that say what the step showed: standard output, and
// standard error where nothing else came, or where the step ended with an error,
// since there it says which.
func (e *edit) telling() []string {
	came := func(name string) bool {
		return slices.ContainsFunc(e.outputs, func(o output) bool { return len(stream(name, o.Output)) > 0 })
	}
	code, _ := oneCode(e.outputs)
	switch {
	case !came(stderr):
		return []string{stdout}
	case !came(stdout):
		return []string{stderr}
	case code != 0:
		return []string{stdout, stderr}
	}
	return []string{stdout}
}
