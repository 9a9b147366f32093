package lab

import (
	"slices"

	"labctl/internal/plan"
	"labctl/internal/strictyaml"
	"labctl/topology"
)

// checkNodes refuses words that no node of the topology answers to, checks of
// nodes that their step does not run on, and actions: a lab is made of scripts.
func (f file) checkNodes(slips *strictyaml.Slips, steps []plan.Written) {
	t, err := topology.Embedded(f.Topology.Value)
	if err != nil {
		slips.Addf(f.Topology.Pos, "unknown topology %q: %s", f.Topology.Value, strictyaml.Suggest(f.Topology.Value, topology.Names()))
		return
	}
	nodes{slips, t}.check(steps)
}

// nodes holds steps to the nodes of a topology.
type nodes struct {
	*strictyaml.Slips
	topology topology.Topology
}

func (n nodes) check(steps []plan.Written) {
	valid := []string{"all"}
	for _, node := range n.topology.Nodes {
		valid = append(valid, node.Name)
		if role := string(node.Role); role != "" && !slices.Contains(valid, role) {
			valid = append(valid, role)
		}
	}
	for _, w := range steps {
		f := w.Form
		for _, on := range f.On {
			if on.Value != "" && len(n.topology.Select(on.Value)) == 0 {
				n.Addf(on.Pos, "no node of topology %q is %q: %s", n.topology.Name, on.Value, strictyaml.Suggest(on.Value, valid))
			}
		}
		if f.Do != nil {
			n.Addf(f.Do.Pos, `a lab has no actions: write "run"`)
		}
		runsOn := n.of(w.Step)
		if len(runsOn) == 0 {
			continue
		}
		for _, node := range f.CheckedNodes() {
			if node.Value != "" && !slices.Contains(runsOn, node.Value) {
				n.Addf(node.Pos, "the step does not run on a node %q: %s", node.Value, strictyaml.Suggest(node.Value, runsOn))
			}
		}
		if len(runsOn) == 1 {
			for _, pos := range f.Compared() {
				n.Addf(pos, `"same" compares nodes, and the step runs on %q alone`, runsOn[0])
			}
		}
	}
}

// of returns the names of a step's nodes.
func (n nodes) of(s plan.Step) []string {
	var names []string
	for _, on := range s.On {
		for _, node := range n.topology.Select(on) {
			if !slices.Contains(names, node.Name) {
				names = append(names, node.Name)
			}
		}
	}
	return names
}
