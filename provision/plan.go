package provision

import (
	"embed"
	"fmt"

	"labctl/internal/plan"
)

//go:embed pair.yaml nodes.yaml
var plans embed.FS

// GroupVerify heads the rungs of the ladder that a ready pair stands on. They
// run at the end of every up and after every reset.
const GroupVerify = "verify"

// ProvisioningPlan returns the plan that a topology's `provision` names.
func ProvisioningPlan(name string) (plan.Plan, error) {
	file := name + ".yaml"
	content, err := plans.ReadFile(file)
	if err != nil {
		return plan.Plan{}, fmt.Errorf("opening provisioning plan %q: %w", name, ErrNotFound)
	}
	return plan.Parse("provision/"+file, content)
}

// ladder is the part of a plan that tells whether the pair is ready.
func ladder(p plan.Plan) plan.Plan {
	var steps []plan.Step
	for _, s := range p.Steps {
		if s.Group == GroupVerify {
			steps = append(steps, s)
		}
	}
	p.Steps = steps
	return p
}
