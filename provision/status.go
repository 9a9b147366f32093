package provision

import (
	"context"
	"errors"
	"sync"
	"time"

	"labctl/topology"
)

// Status is what `labctl status` shows of one pair. It is a look from outside:
// the hypervisor's word and an open port, within some seconds at most. The
// ladder (Climb) is the thorough answer.
type Status struct {
	Name        string       `json:"name"`
	Hypervisor  string       `json:"hypervisor"`
	Accelerator Accelerator  `json:"accelerator"`
	Image       string       `json:"image"`
	Kernel      string       `json:"kernel"`
	Started     time.Time    `json:"started"`
	Ready       time.Time    `json:"ready"`
	Checkpoint  bool         `json:"checkpoint"`
	Nodes       []NodeStatus `json:"nodes"`
	// Problem says why the hypervisor could not be asked; empty if it could.
	Problem string `json:"problem,omitempty"`
}

// NodeStatus is one node's line.
type NodeStatus struct {
	Name    string        `json:"name"`
	Role    topology.Role `json:"role,omitempty"`
	Address string        `json:"address"`
	// State is the domain's, or "gone".
	State State `json:"state"`
	// SSH says whether TCP 22 answers.
	SSH bool `json:"ssh"`
}

// Gone is the state of a domain that does not exist.
const Gone State = "gone"

// portPatience is how long Status waits for a port that says nothing. A loaded
// emulated guest accepts a connection in some 10 ms, its kernel does that alone;
// but where other guests boot beside it, 150 ms were seen to be too few.
const portPatience = 2 * time.Second

// Status looks at the pair. The error is that of a hypervisor that could not be
// asked; the rest is told all the same.
func (c *Cluster) Status(ctx context.Context, rec Record) (Status, error) {
	s := Status{
		Name: rec.Name, Hypervisor: rec.Hypervisor, Accelerator: rec.Accelerator, Image: rec.Image.ID,
		Kernel: rec.Image.KernelRelease, Started: rec.Started, Ready: rec.Ready, Checkpoint: rec.Checkpoint,
	}
	specs := c.Specs().Nodes
	s.Nodes = make([]NodeStatus, len(specs))
	n := c.NewNodes()
	var wg sync.WaitGroup
	errs := make([]error, len(specs))
	for i, spec := range specs {
		s.Nodes[i] = NodeStatus{Name: spec.Node.Name, Role: spec.Node.Role, Address: spec.Node.Address.String(), State: Gone}
		wg.Go(func() {
			state, err := c.Hypervisor.DomainState(ctx, spec.Domain.Name)
			switch {
			case errors.Is(err, ErrNotFound):
			case err != nil:
				s.Nodes[i].State = "unknown"
				errs[i] = err
			default:
				s.Nodes[i].State = state
			}
			if state == Running {
				ctx, cancel := context.WithTimeout(ctx, portPatience)
				defer cancel()
				s.Nodes[i].SSH = n.probe(ctx, spec.Node) == nil
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			s.Problem = err.Error()
			return s, err
		}
	}
	return s, nil
}
