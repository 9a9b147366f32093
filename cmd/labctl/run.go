package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"labctl/internal/lab"
	"labctl/internal/plan"
	"labctl/internal/runner"
	"labctl/labs"
	"labctl/provision"
	"labctl/topology"
)

type runOptions struct{ name, topology string }

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run LAB",
		Short: "Run a lab on a pair, then tear it down",
		Long: `Run a lab, a name of the catalogue or the path of a file: its steps in order, then
the write-up's own teardown whatever became of them, then what must be put right
after it. Each step is shown with its node, its script, what came and what each
check says. The exit code is 0 if all checks held, 1 if one did not, 2 if it
could not be told, 3 if the pair is not as it was before.`,
		Example: "  labctl run conntrack-reset\n  labctl run ./my-lab/lab.yaml --name second\n  labctl run conntrack-reset --topology hosts.yaml",
		Args:    exactly("LAB"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runLab(cmd.Context(), args[0], o)
		},
	}
	nameFlag(cmd, &o.name)
	cmd.Flags().StringVar(&o.topology, "topology", "", "run on the hosts of this topology file instead of a pair")
	return cmd
}

func (a *app) runLab(ctx context.Context, name string, o runOptions) error {
	l, err := labs.Open(name)
	if err != nil {
		return err
	}
	c, err := a.openPlace(ctx, o)
	if err != nil {
		return err
	}
	if c.Hypervisor != nil {
		defer c.Hypervisor.Close()
	}
	unlock, err := provision.Lock(c.Dir, c.Name, "run "+l.Name)
	if err != nil {
		return err
	}
	defer unlock()
	nodes := c.NewNodes()
	defer nodes.Close()
	engine := &runner.Engine{
		Select: c.NodeNames, Conn: nodes.Conn, Scale: c.Accelerator.LimitScale(),
		Listen: newProgress(a.stderr, true).event,
	}
	for _, p := range []plan.Plan{l.Steps, l.Teardown, l.Repair} {
		if err := engine.Check(p); err != nil {
			return err
		}
	}
	if err := reachAll(ctx, c, nodes); err != nil {
		return err
	}
	return a.judge(ctx, l, engine)
}

// reachLimit is how long one node may take to let labctl in before a lab, with
// hardware acceleration. It is up already; a connection takes 0.1 s.
const reachLimit = 10 * time.Second

// reachAll connects to every node. A lab whose nodes cannot be reached changes
// nothing, so nothing of it needs to be torn down or restored.
func reachAll(ctx context.Context, c *provision.Cluster, nodes *provision.Nodes) error {
	for _, name := range c.NodeNames("all") {
		limited, cancel := context.WithTimeout(ctx, reachLimit*time.Duration(c.Accelerator.LimitScale()))
		_, err := nodes.Conn(limited, name)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// openPlace opens what a lab runs on: a pair, or hosts that exist already.
func (a *app) openPlace(ctx context.Context, o runOptions) (*provision.Cluster, error) {
	if o.topology == "" {
		c, rec, err := a.openPair(ctx, o.name, true)
		if err == nil && rec.Ready.IsZero() {
			return nil, errors.Join(notReadyError{rec.Name}, c.Hypervisor.Close())
		}
		return c, err
	}
	t, err := topology.Open(o.topology)
	if err != nil {
		return nil, err
	}
	if !t.Hosts {
		return nil, usagef("bring it up, then run the lab without --topology: labctl up "+o.topology, "running on topology %q: its nodes are made by labctl", t.Name)
	}
	dir, err := a.pairDir(t.Name)
	if err != nil {
		return nil, err
	}
	return &provision.Cluster{
		Name: t.Name, Dir: dir, Topology: t, Accelerator: provision.KVM, Connect: provision.ConnectSSH, Listen: a.listener(),
	}, nil
}

// notReadyError: a lab would judge a cluster that is not whole.
type notReadyError struct{ pair string }

func (e notReadyError) Error() string {
	return fmt.Sprintf("running a lab on pair %q: it is not ready", e.pair)
}
func (e notReadyError) Hint() string {
	return "finish bringing it up: labctl up TOPOLOGY --name " + e.pair
}

// teardownLimit is how long a lab's teardown and repair may take altogether,
// with hardware acceleration.
const teardownLimit = 10 * time.Minute

// judge runs the three plans of a lab and turns their verdicts into an exit.
// Teardown and repair have a limit of their own and run after an interrupt too.
func (a *app) judge(ctx context.Context, l lab.Lab, engine *runner.Engine) error {
	a.heading(l.Title)
	steps, err := engine.Run(ctx, l.Steps)
	if err != nil {
		return err
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), teardownLimit*time.Duration(max(1, engine.Scale)))
	defer cancel()
	a.heading("teardown")
	teardown, err := engine.RunAll(after, l.Teardown)
	if err != nil {
		return err
	}
	// Without a repair of its own, a lab trusts its teardown to put all back.
	repair, restored := plan.Skipped, teardown
	if len(l.Repair.Steps) > 0 {
		a.heading("repair")
		if repair, err = engine.RunAll(after, l.Repair); err != nil {
			return err
		}
		restored = repair
	}
	fmt.Fprintf(a.stdout, "lab %s: steps %s, teardown %s, repair %s\n", l.Name, steps, teardown, repair)
	var by interruptedBy
	switch worst := steps.Worse(teardown); {
	case restored > plan.Pass:
		return exitCode(exitUnrestored)
	case errors.As(context.Cause(ctx), &by):
		return exitCode(128 + int(by.signal))
	case worst == plan.Error:
		return exitCode(exitError)
	case worst == plan.Fail:
		return exitCode(exitFailed)
	case worst < plan.Pass:
		return exitCode(exitNothing)
	}
	return nil
}

func (a *app) heading(title string) { fmt.Fprintf(a.stderr, "\n== %s ==\n", title) }
