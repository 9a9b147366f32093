package provision

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// StepError says on which step (which rung of the ladder) bringing up or
// resetting a pair ended, and what there is to see.
type StepError struct {
	Pair, Plan, Group, Step, Title string
	// Reason is what the step said last.
	Reason string
	// Consoles are the last lines of each node's serial console.
	Consoles map[string]string
	// StepHint is the step's own hint.
	StepHint string
	// LookAt is a node to look at.
	LookAt string
	// Topology is what `labctl up` was given.
	Topology string
}

func (e *StepError) Error() string {
	return fmt.Sprintf("provisioning pair %q: step %q (%s): %s", e.Pair, e.Step, e.Title, e.Reason)
}

// Hint says where to look further.
func (e *StepError) Hint() string {
	look := fmt.Sprintf("look at the node with: labctl console %s --name %s (or: labctl ssh)", e.LookAt, e.Pair)
	again := fmt.Sprintf("then run `labctl up %s --name %s` again, or `labctl down %s`", e.Topology, e.Pair, e.Pair)
	if e.StepHint != "" {
		return e.StepHint + "; " + look + "; " + again
	}
	return look + "; " + again
}

// consoleLines is how much of a node's serial console an error shows.
const consoleLines = 40

// evidence turns the event of a failed step, and of the attempt that failed last,
// into an error with all that helps.
func (c *Cluster) evidence(ctx context.Context, p plan.Plan, failed, output journal.Event) error {
	e := &StepError{
		Pair: c.Name, Topology: c.Topology.Name, Plan: p.Name, Group: failed.Group, Step: failed.Step, Title: failed.Title,
		Reason: failed.Error, StepHint: failed.Hint, LookAt: output.Node, Consoles: map[string]string{},
	}
	if e.Reason == "" {
		e.Reason = "a check did not hold"
	}
	if output.Node != "" {
		e.Reason += fmt.Sprintf(" on node %q", output.Node)
		for _, check := range output.Checks {
			if check.Verdict != plan.Pass.String() {
				e.Reason += fmt.Sprintf(": wanted %s, got %s", check.Want, check.Got)
				break
			}
		}
	}
	if e.LookAt == "" {
		e.LookAt = c.Topology.Machines()[0].Name
	}
	// The evidence is fetched even if the caller's context is at its end.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	for _, n := range c.Specs().Nodes {
		content, err := c.Hypervisor.Console(ctx, n.Domain.Name, 64<<10)
		if err != nil {
			e.Consoles[n.Node.Name] = "(" + err.Error() + ")"
			continue
		}
		e.Consoles[n.Node.Name] = lastLines(content, consoleLines)
	}
	return e
}

func lastLines(content []byte, n int) string {
	lines := strings.Split(string(bytes.TrimRight(bytes.ReplaceAll(content, []byte("\r"), nil), "\n")), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
