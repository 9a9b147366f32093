// Package lab is a write-up made executable: its steps, its own teardown, and
// what must be put right after that. Loading is strict, and every step's nodes
// are those of the lab's topology.
package lab

import (
	"slices"

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
}

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
	l := Lab{Name: f.Name.Value, Title: f.Title, Writeup: f.Writeup, Topology: f.Topology.Value}
	l.Steps = plan.Plan{Name: l.Name, Title: l.Title, Steps: b.Steps("steps", f.Steps)}
	l.Teardown = plan.Plan{Name: l.Name + "-teardown", Title: "Teardown", Steps: b.Steps("teardown", f.Teardown)}
	l.Repair = plan.Plan{Name: l.Name + "-repair", Title: "Repair"}
	lists := []strictyaml.At[[]plan.StepForm]{f.Steps, f.Teardown}
	if f.Repair != nil {
		l.Repair.Steps = b.Steps("repair", *f.Repair)
		lists = append(lists, *f.Repair)
	}
	f.checkNodes(&b.Slips, lists)
	if err := b.Slips.Err(); err != nil {
		return Lab{}, err
	}
	return l, nil
}

type file struct {
	Name     strictyaml.At[string]           `yaml:"name,required"`
	Title    string                          `yaml:"title,required"`
	Writeup  string                          `yaml:"writeup,required"`
	Topology strictyaml.At[string]           `yaml:"topology,required"`
	Steps    strictyaml.At[[]plan.StepForm]  `yaml:"steps,required"`
	Teardown strictyaml.At[[]plan.StepForm]  `yaml:"teardown,required"`
	Repair   *strictyaml.At[[]plan.StepForm] `yaml:"repair"`
}

// checkNodes refuses words in `on` that no node of the topology answers to, and
// actions: a lab is made of scripts.
func (f file) checkNodes(slips *strictyaml.Slips, lists []strictyaml.At[[]plan.StepForm]) {
	t, err := topology.Embedded(f.Topology.Value)
	if err != nil {
		slips.Addf(f.Topology.Pos, "unknown topology %q: %s", f.Topology.Value, strictyaml.Suggest(f.Topology.Value, topology.Names()))
		return
	}
	valid := []string{"all"}
	for _, n := range t.Nodes {
		valid = append(valid, n.Name)
		if role := string(n.Role); role != "" && !slices.Contains(valid, role) {
			valid = append(valid, role)
		}
	}
	for _, list := range lists {
		for _, s := range list.Value {
			for _, on := range s.On {
				if on.Value != "" && len(t.Select(on.Value)) == 0 {
					slips.Addf(on.Pos, "no node of topology %q is %q: %s", t.Name, on.Value, strictyaml.Suggest(on.Value, valid))
				}
			}
			if s.Do != nil {
				slips.Addf(s.Do.Pos, `a lab has no actions: write "run"`)
			}
		}
	}
}
