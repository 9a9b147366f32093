package compare

import "labctl/internal/plan"

// Flaky is a step that has passed and has not passed, though nothing that labctl
// knows of was different.
type Flaky struct {
	Step  string `json:"step"`
	Title string `json:"title"`
	Setting
	// Of is how many runs it was run in, and Not in which of them it did not pass.
	Of  int   `json:"of"`
	Not []int `json:"not"`
}

// Setting is all that is the same between two runs that should show the same.
type Setting struct {
	File        string `json:"file"`
	Kubernetes  string `json:"kubernetes,omitempty"`
	Kernel      string `json:"kernel,omitempty"`
	Accelerator string `json:"accelerator,omitempty"`
}

// FlakyRule says when a step is flaky.
const FlakyRule = "passed in one run and not in another, with the same lab file, Kubernetes, kernel and accelerator; " +
	"drills, sabotage and what an interrupt or a kill kept from passing do not count"

func flaky(h History) []Flaky {
	all := []Flaky{}
	for _, s := range h.Steps {
		of := map[Setting]*Flaky{}
		var order []Setting
		for _, r := range s.Runs {
			l := h.run(r.Number)
			v := plan.ParseVerdict(r.Verdict)
			if l.File == "" || !l.tells() || v < plan.Pass || l.cut && v != plan.Pass {
				continue
			}
			k := Setting{l.File, l.Kubernetes, l.Kernel, l.Accelerator}
			if of[k] == nil {
				of[k] = &Flaky{Step: s.ID, Title: s.Title, Setting: k}
				order = append(order, k)
			}
			of[k].Of++
			if v != plan.Pass {
				of[k].Not = append(of[k].Not, r.Number)
			}
		}
		for _, k := range order {
			if f := of[k]; len(f.Not) > 0 && len(f.Not) < f.Of {
				all = append(all, *f)
			}
		}
	}
	return all
}
