package lab

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"labctl/internal/plan"
	"labctl/internal/strictyaml"
)

type drillForm struct {
	Pos     strictyaml.Pos   `yaml:",pos"`
	ID      at[string]       `yaml:"id,required" doc:"What 'labctl run LAB --drill' takes, beside its number."`
	Title   at[string]       `yaml:"title,required" doc:"A symptom: all that the learner is told at first."`
	Cause   at[string]       `yaml:"cause,required" doc:"The answer; the causes of all drills are the choices."`
	Needs   strictyaml.Words `yaml:"needs" doc:"Ids of the lab's steps that are run first, and shown."`
	Break   strictyaml.Words `yaml:"break,required" doc:"Ids of steps that break the pair; they are not shown."`
	Symptom strictyaml.Words `yaml:"symptom" doc:"Ids of steps whose passing proves that the fault is there; they are not shown."`
	Fixed   strictyaml.Words `yaml:"fixed,required" doc:"Ids of steps that only look, and pass once the fault is mended."`
	Hints   strictyaml.Words `yaml:"hints" doc:"What a learner who asks is told, one by one."`
}

// drillID is no number, which would be another drill's.
var drillID = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

func (f file) drills(l Lab, slips *strictyaml.Slips) []Drill {
	if f.Drills == nil {
		return nil
	}
	var drills []Drill
	seen, causes := map[string]int{}, map[string]bool{}
	for _, form := range f.Drills.Value {
		if first, dup := seen[form.ID.Value]; dup {
			slips.Addf(form.ID.Pos, "drill %q is taken in line %d", form.ID.Value, first)
		} else {
			seen[form.ID.Value] = form.ID.Pos.Line
		}
		d := form.drill(l, slips)
		causes[d.Cause] = true
		drills = append(drills, d)
	}
	switch {
	case len(drills) == 0:
		slips.Addf(f.Drills.Pos, `"drills" is empty: there is nothing to find`)
	case len(causes) == 1:
		slips.Addf(f.Drills.Pos, "the drills have one cause between them, and the choice would tell it: write one with another cause")
	case len(causes) > MaxCauses:
		slips.Addf(f.Drills.Pos, "the drills have %d causes: at most %d can be chosen from", len(causes), MaxCauses)
	}
	return drills
}

func (f drillForm) drill(l Lab, slips *strictyaml.Slips) Drill {
	if !drillID.MatchString(f.ID.Value) {
		slips.Addf(f.ID.Pos, "id %q must be a letter and then letters, digits and -, all in lower case", f.ID.Value)
	}
	told := func(key string, text at[string]) string {
		trimmed := strings.TrimSpace(text.Value)
		if trimmed == "" {
			slips.Addf(text.Pos, "%q is empty", key)
		}
		return trimmed
	}
	d := Drill{ID: f.ID.Value, Title: told("title", f.Title), Cause: told("cause", f.Cause)}
	for _, h := range f.Hints {
		d.Hints = append(d.Hints, told("hints", h))
	}
	for _, list := range []struct {
		key   string
		words strictyaml.Words
	}{{"break", f.Break}, {"fixed", f.Fixed}} {
		if len(list.words) == 0 {
			slips.Addf(f.Pos, "%q names no step", list.key)
		}
	}
	before := slips.Len()
	n := naming{slips, l}
	setup, fixed := slices.Concat(f.Needs, f.Break, f.Symptom), f.Fixed
	n.inOrder(setup)
	n.inOrder(fixed)
	n.blind(fixed, f.Break, "breaks the pair")
	n.blind(fixed, f.Symptom, "passes while the pair is broken")
	d.Needs, d.Break, d.Symptom, d.Fixed = ids(f.Needs), ids(f.Break), ids(f.Symptom), ids(fixed)
	if slips.Len() == before {
		n.whole(setup, nil)
		n.whole(fixed, setup)
	}
	return d
}

func ids(words strictyaml.Words) []string {
	var all []string
	for _, w := range words {
		all = append(all, w.Value)
	}
	return all
}

// naming holds the ids that a drill names to the lab's steps.
type naming struct {
	*strictyaml.Slips
	lab Lab
}

// inOrder wants each to be one of the lab's own steps, and in its order, once.
func (n naming) inOrder(words strictyaml.Words) {
	var valid []string
	for _, s := range n.lab.Steps.Steps {
		valid = append(valid, s.ID)
	}
	last := -1
	for _, w := range words {
		place := slices.Index(valid, w.Value)
		_, elsewhere := n.lab.Step(w.Value)
		switch {
		case place < 0 && elsewhere:
			n.Addf(w.Pos, `step %q is of the teardown or the repair: a drill names those of "steps"`, w.Value)
		case place < 0:
			n.Addf(w.Pos, "lab %q has no step %q: %s", n.lab.Name, w.Value, strictyaml.Suggest(w.Value, valid))
		case place == last:
			n.Addf(w.Pos, "step %q is named twice", w.Value)
		case place < last:
			n.Addf(w.Pos, "step %q comes before step %q in the lab: name them in its order", w.Value, valid[last])
		}
		last = max(last, place)
	}
}

// blind refuses steps that cannot tell that a fault is mended.
func (n naming) blind(fixed, others strictyaml.Words, what string) {
	for _, w := range fixed {
		if slices.Contains(ids(others), w.Value) {
			n.Addf(w.Pos, "step %q %s: it cannot tell that the fault is mended", w.Value, what)
		}
	}
}

// whole refuses steps that need others which are not named: what those captured,
// or that they began. Those before have been run by then.
func (n naming) whole(words, before strictyaml.Words) {
	chosen := map[string]bool{}
	for _, w := range words {
		chosen[w.Value] = true
	}
	where := func(id string) strictyaml.Pos {
		return words[slices.Index(ids(words), id)].Pos
	}
	has := func(s plan.Step, name string) bool {
		return slices.ContainsFunc(before, func(w strictyaml.At[string]) bool {
			b, _ := n.lab.Step(w.Value)
			_, captures := b.Capture[name]
			return captures && (b.Row == nil || b.Row == s.Row)
		})
	}
	if lack := n.lab.Lack(chosen, has); lack != nil {
		what := fmt.Sprintf("stops step %q", lack.Before.ID)
		if lack.Capture != "" {
			what = fmt.Sprintf("uses %s, which step %q captures", lack.Capture, lack.Before.ID)
		}
		n.Addf(where(lack.Step.ID), "step %q %s: name that one, too", lack.Step.ID, what)
	}
	for _, s := range n.lab.Steps.Steps {
		stops := func(o plan.Step) bool { return o.Stop == s.ID && chosen[o.ID] }
		if chosen[s.ID] && s.Background != nil && !slices.ContainsFunc(n.lab.Steps.Steps, stops) {
			n.Addf(where(s.ID), "step %q runs in the background: name the step that stops it, too", s.ID)
		}
	}
}
