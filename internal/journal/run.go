package journal

import (
	"slices"

	"labctl/internal/plan"
)

// Run is what a run knows about itself before its first step.
type Run struct {
	// ID is the lab's name, a slash, and when the run began, in UTC to the second.
	ID      string `json:"id"`
	Lab     string `json:"lab"`
	Title   string `json:"title"`
	Writeup string `json:"writeup"`
	// Labctl is the version of the program.
	Labctl string `json:"labctl"`
	// Pair is the name of what the lab ran on, Topology that of its topology.
	Pair     string `json:"pair"`
	Topology string `json:"topology"`
	Nodes    []Node `json:"nodes"`
	// Hypervisor, Accelerator, Image and Kubernetes are empty for hosts that
	// labctl did not make.
	Hypervisor  string `json:"hypervisor,omitempty"`
	Accelerator string `json:"accelerator,omitempty"`
	Image       string `json:"image,omitempty"`
	Kubernetes  string `json:"kubernetes,omitempty"`
	// Scale multiplies every time limit of the lab.
	Scale int `json:"scale"`
	// From, Until and Only are the steps that were asked for; empty for all.
	From  string   `json:"from,omitempty"`
	Until string   `json:"until,omitempty"`
	Only  []string `json:"only,omitempty"`
	// Seed is that of the order of steps; 0 is the lab's own order.
	Seed uint64 `json:"seed,omitempty"`
	// Led says that an instructor led the run step by step.
	Led bool `json:"led,omitempty"`
	// Drill is the drill that the run is of; nil for the lab itself.
	Drill *DrillInfo `json:"drill,omitempty"`
	// Vars are the values of the lab's variables, secrets masked.
	Vars map[string]string `json:"vars,omitempty"`
	// Captured is what the run that it goes on with had captured, secrets masked.
	Captured map[string]string `json:"captured,omitempty"`
	// InRows is what the rows of its tables had captured.
	InRows []RowCaptured `json:"inRows,omitempty"`
	// Claims are all of the lab's, in its order, with what the lab knows of them.
	Claims []ClaimInfo `json:"claims,omitempty"`
	// Tables are all of the lab's, in its order.
	Tables []TableInfo `json:"tables,omitempty"`
}

// Kernels are those of the nodes, each once.
func (r Run) Kernels() []string {
	var all []string
	for _, n := range r.Nodes {
		if n.Kernel != "" && !slices.Contains(all, n.Kernel) {
			all = append(all, n.Kernel)
		}
	}
	return all
}

// Node is one machine as it was when the run began.
type Node struct {
	Name    string `json:"name"`
	Role    string `json:"role,omitempty"`
	Address string `json:"address"`
	Kernel  string `json:"kernel,omitempty"`
	// Offset is how far its clock was ahead of this machine's, in seconds.
	Offset float64 `json:"offset"`
}

// ClaimInfo is a claim as the lab has it.
type ClaimInfo struct {
	ID    string `json:"id"`
	Where string `json:"where"`
	Text  string `json:"text"`
	// Step proves it; empty for claims that no cluster, or not this one, can show.
	Step    string `json:"step,omitempty"`
	Because string `json:"because,omitempty"`
	// Fixed is the verdict of a claim without a step.
	Fixed plan.ClaimVerdict `json:"fixed,omitempty"`
}

// BecauseOf is what explains this verdict of the claim; empty where nothing does.
// Because explains what is known instead, so it would contradict a claim that holds,
// and promise too much where that was not seen.
func (c ClaimInfo) BecauseOf(verdict plan.ClaimVerdict) string {
	switch verdict {
	case plan.Moved, plan.Wrong, plan.Answered, plan.NotShown, plan.AboutPaper:
		return c.Because
	}
	return ""
}

// RowCaptured is what the steps of one row have captured, secrets masked.
type RowCaptured struct {
	Table    string            `json:"table"`
	Row      int               `json:"row"`
	Captured map[string]string `json:"captured"`
}
