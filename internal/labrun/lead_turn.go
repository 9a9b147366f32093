package labrun

import (
	"fmt"
	"slices"
	"strconv"

	"labctl/internal/plan"
	"labctl/internal/runner"
	"labctl/internal/strictyaml"
)

// Turn is a moment at which a run waits for its instructor.
type Turn struct {
	runner.Turn
	// About is the step that is asked about: the next one, or the last if that did
	// not pass or all are through. It is nil if there is none.
	About *plan.Step
	// Nodes are where it runs, Rows how many rows its table has, if it is of one.
	Nodes []string
	Rows  int
	// Steps are the ids of all, in their order; Ahead those after the next that are
	// still to be run.
	Steps, Ahead []string
	// NeededBy is the first later step that ends the next one or uses what it
	// captures; empty if none does.
	NeededBy string
}

// To finds the step that a number or an id means, for Order.To.
func (t Turn) To(word string) (string, error) {
	id := word
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(t.Steps) {
		id = t.Steps[n-1]
	}
	switch {
	case slices.Contains(t.Ahead, id):
		return id, nil
	case slices.Contains(t.Steps, id):
		return "", fmt.Errorf("step %q is not ahead", id)
	}
	return "", fmt.Errorf("there is no step %q: %s", word, strictyaml.Suggest(word, t.Steps))
}

// turn is the engine's, with what an instructor wants to know.
func (l *lead) turn(at runner.Turn) Turn {
	t := Turn{Turn: at, About: at.Next}
	if at.Failed || at.Next == nil {
		t.About = at.Last
	}
	for i, s := range l.lab.Steps.Steps {
		t.Steps = append(t.Steps, s.ID)
		if i >= at.Number && l.chosen[s.ID] {
			t.Ahead = append(t.Ahead, s.ID)
		}
	}
	if at.Next != nil {
		t.NeededBy = l.neededBy(at.Next.ID)
	}
	if t.About == nil {
		return t
	}
	t.Nodes = l.engine.Nodes(l.runs(*t.About))
	for _, table := range l.lab.Steps.Tables {
		if t.About.Row != nil && table.ID == t.About.Row.Table {
			t.Rows = len(table.Rows)
		}
	}
	return t
}

func (l *lead) neededBy(id string) string {
	others := map[string]bool{}
	for _, s := range l.lab.Steps.Steps {
		others[s.ID] = s.ID != id
	}
	lack := l.lab.Lack(others, func(plan.Step, string) bool { return false })
	if lack == nil {
		return ""
	}
	return lack.Step.ID
}

// runs is the step whose script a step is about: that of a step that stops
// another is the other's.
func (l *lead) runs(s plan.Step) plan.Step {
	if s.Stop != "" {
		if stopped, ok := l.lab.Step(s.Stop); ok {
			return stopped
		}
	}
	return s
}
