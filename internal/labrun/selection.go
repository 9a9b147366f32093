package labrun

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"labctl/internal/lab"
	"labctl/internal/plan"
	"labctl/internal/strictyaml"
)

// SelectionError is a wish that the lab cannot grant.
type SelectionError struct {
	Lab, Text, Advice string
}

func (e *SelectionError) Error() string {
	return fmt.Sprintf("choosing steps of lab %q: %s", e.Lab, e.Text)
}

// Hint says what can be asked for.
func (e *SelectionError) Hint() string { return e.Advice }

// selected returns which steps are to be run, and refuses a wish that names no
// step, or one whose steps need what others capture.
func selected(l lab.Lab, o Options, have map[string]string, rows plan.Captures) (map[string]bool, error) {
	var ids []string
	for _, s := range l.Steps.Steps {
		ids = append(ids, s.ID)
	}
	refuse := func(advice, format string, args ...any) (map[string]bool, error) {
		return nil, &SelectionError{Lab: l.Name, Text: fmt.Sprintf(format, args...), Advice: advice}
	}
	for _, id := range append([]string{o.From, o.Until}, o.Only...) {
		if id != "" && !slices.Contains(ids, id) {
			return refuse(strictyaml.Suggest(id, ids), "it has no step %q", id)
		}
	}
	from, until := 0, len(ids)-1
	if o.From != "" {
		from = slices.Index(ids, o.From)
	}
	if o.Until != "" {
		until = slices.Index(ids, o.Until)
	}
	if from > until {
		return refuse("swap them", "step %q comes after step %q", o.From, o.Until)
	}
	chosen := map[string]bool{}
	for i, id := range ids {
		if i >= from && i <= until && (len(o.Only) == 0 || slices.Contains(o.Only, id)) {
			chosen[id] = true
		}
	}
	has := func(s plan.Step, name string) bool {
		_, ok := rows.Vars(s, have)[name]
		return ok
	}
	switch lack := l.Lack(chosen, has); {
	case lack == nil:
	case lack.Capture == "":
		return refuse("choose both", "step %q stops step %q, which is left out", lack.Step.ID, lack.Before.ID)
	default:
		return refuse(
			fmt.Sprintf("run up to it and keep the cluster, then go on: labctl run %s --until %s --keep always", l.Name, lack.Before.ID),
			"step %q uses %s, which step %q captures", lack.Step.ID, lack.Capture, lack.Before.ID)
	}
	return chosen, nil
}

// shuffled returns the steps in an order of the seed's.
func shuffled(l lab.Lab, seed uint64) ([]plan.Step, error) {
	if seed == 0 {
		return l.Steps.Steps, nil
	}
	if !l.Shuffle {
		return nil, &SelectionError{Lab: l.Name, Text: "its steps depend on their order", Advice: "leave out --shuffle; a lab whose steps do not says `shuffle: true`"}
	}
	steps := slices.Clone(l.Steps.Steps)
	rand.New(rand.NewPCG(seed, seed)).Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	return steps, nil
}
