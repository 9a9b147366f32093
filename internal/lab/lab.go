// Package lab is a write-up made executable: its steps, its own teardown, and
// what must be put right after that. Loading is strict, and every step's nodes
// are those of the lab's topology.
package lab

import (
	"labctl/internal/plan"
	"labctl/internal/strictyaml"
	"labctl/topology"
)

// Lab is one file of kind Lab, loaded and found valid. Step ids and captures
// are unique over its three plans.
type Lab struct {
	// Name is the word that `labctl run` takes, and the name of the plan Steps;
	// the other two have it with -teardown and -repair behind it.
	Name  string
	Title string
	// Writeup says which text the lab makes executable.
	Writeup string
	// Topology is the name of the embedded topology it runs on.
	Topology string
	// Steps are the write-up's own, in its order.
	Steps plan.Plan
	// Teardown is the write-up's own, as written; all of it is run, whatever
	// became of the steps.
	Teardown plan.Plan
	// Repair puts right what the teardown leaves, and its checks prove that the
	// cluster is as it was. It can run after any part of the lab. Empty if the
	// teardown is enough.
	Repair plan.Plan
	// Vars are visible to every script, with what the command line says in place
	// of their defaults.
	Vars map[string]Var
	// Paper are the claims that no step proves.
	Paper []PaperClaim
	// Shuffle says that the steps do not depend on each other's order.
	Shuffle bool
	// Drills are faults for a learner to find; empty if the lab has none.
	Drills []Drill
}

// Var is a variable of a lab.
type Var struct {
	// Default is its value where nobody gives one; nil means that somebody must.
	Default *string
	// Secret values are masked in whatever is shown or kept of a run.
	Secret bool
}

// PaperClaim is a claim that no step proves.
type PaperClaim struct {
	ID, Where, Text string
	// Because is why no step proves it.
	Because string
	// Verdict is plan.AboutPaper or plan.NotShown.
	Verdict plan.ClaimVerdict
	Pos     string
}

// Plans are the lab's three, in the order in which they run; Repair may be empty.
func (l Lab) Plans() []plan.Plan { return []plan.Plan{l.Steps, l.Teardown, l.Repair} }

// Parse reads a lab file. The name stands for the file in errors, which are
// *strictyaml.Error with file:line:column.
func Parse(name string, data []byte) (Lab, error) {
	var f file
	if err := strictyaml.Decode(name, data, "Lab", &f); err != nil {
		return Lab{}, err
	}
	var b plan.Builder
	if err := topology.CheckName(f.Name.Value); err != nil {
		b.Slips.Addf(f.Name.Pos, "%s", err)
	}
	l := Lab{Name: f.Name.Value, Title: f.Title, Writeup: f.Writeup, Topology: f.Topology.Value, Shuffle: f.Shuffle}
	l.Vars = f.vars(&b)
	b.Shuffled = f.Shuffle
	l.Steps = plan.Plan{Name: l.Name, Title: l.Title}
	l.Teardown = plan.Plan{Name: l.Name + "-teardown", Title: "Teardown"}
	l.Repair = plan.Plan{Name: l.Name + "-repair", Title: "Repair"}
	var written []plan.Written
	fill := func(p *plan.Plan, list plan.List) {
		p.Steps, p.Tables = list.Steps, list.Tables
		written = append(written, list.Written...)
	}
	fill(&l.Steps, b.Steps("steps", f.Steps))
	b.Shuffled = false
	fill(&l.Teardown, b.Steps("teardown", f.Teardown))
	if f.Repair != nil {
		fill(&l.Repair, b.Steps("repair", *f.Repair))
	}
	b.Unused()
	l.Paper = f.paper(&b)
	l.Drills = f.drills(l, &b.Slips)
	f.checkNodes(&b.Slips, written)
	if err := b.Slips.Err(); err != nil {
		return Lab{}, err
	}
	return l, nil
}
