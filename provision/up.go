package provision

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/runner"
)

// Enter reads the pair's record, or writes it before anything is made. It
// refuses a pair that was made from something else. Whoever changes a pair holds
// its Lock, from before Enter to the end.
func (c *Cluster) Enter() (Record, error) {
	if err := c.checkSizes(); err != nil {
		return Record{}, err
	}
	rec, err := ReadRecord(c.Dir)
	if errors.Is(err, ErrNotFound) {
		rec, err = c.newRecord()
	}
	if err != nil {
		return Record{}, err
	}
	c.Owner = rec.Owner
	if rec.Fingerprint != c.Topology.Fingerprint() || rec.Image.ID != c.Image.ID {
		return Record{}, &ChangedError{Pair: c.Name, Was: rec, Image: c.Image.ID}
	}
	return rec, nil
}

// Up makes the pair exist and be ready, whatever is there already: it starts
// from nothing, goes on after a crash at any point, and returns at once if all
// is as it should be.
func (c *Cluster) Up(ctx context.Context) error {
	rec, err := c.Enter()
	if err != nil {
		return err
	}
	if rec.Accelerator == "" {
		rec.Accelerator, rec.TSCKHz, rec.Objects = c.Accelerator, c.TSCKHz, c.Specs().objects()
		if err := rec.write(c.Dir); err != nil {
			return err
		}
	}
	// A node that runs on a disk without a name works until it is stopped, and the
	// next one of that name is empty: what was done on it must be done again.
	if node, err := c.missingDisk(ctx); err != nil {
		return err
	} else if node != "" {
		return c.Reset(ctx)
	}
	if !rec.Ready.IsZero() {
		running, err := c.allRunning(ctx)
		if err != nil {
			return err
		}
		if running {
			c.say(fmt.Sprintf("pair %q is up since %s; nothing to do", c.Name, rec.Ready.Format(time.DateTime)))
			return nil
		}
	}
	if rec.Checkpoint {
		// A node was stopped, the machine was restarted, or a reset did not end.
		// Booting what is on the disks now would make that the state to go back to,
		// and a node of the past might meet one of the present.
		c.say("the nodes are not as they were when the pair became ready; going back to that")
		return c.Reset(ctx)
	}
	return c.provision(ctx, rec)
}

// ChangedError says that a pair of that name stands, made from something else.
type ChangedError struct {
	Pair  string
	Was   Record
	Image string
}

func (e *ChangedError) Error() string {
	if e.Was.Image.ID != e.Image {
		return fmt.Sprintf("bringing up pair %q: it stands on image %s, not on %s", e.Pair, e.Was.Image.ID, e.Image)
	}
	return fmt.Sprintf("bringing up pair %q: it stands, made from another topology", e.Pair)
}

// Hint says how to get the new one.
func (e *ChangedError) Hint() string {
	return fmt.Sprintf("take the old one down first: labctl down %s", e.Pair)
}

func (c *Cluster) newRecord() (Record, error) {
	token, err := newToken()
	if err != nil {
		return Record{}, err
	}
	instance := make([]byte, 4)
	if _, err := rand.Read(instance); err != nil {
		return Record{}, fmt.Errorf("naming an instance of pair %q: %w", c.Name, err)
	}
	rec := Record{
		Name: c.Name, Owner: c.Name + "." + hex.EncodeToString(instance), Topology: c.Topology, Fingerprint: c.Topology.Fingerprint(), Image: c.Image,
		Hypervisor: c.HypervisorName, Token: token, Started: c.now().UTC(),
	}
	return rec, rec.write(c.Dir)
}

// objects lists what the specs will make, in the order of removal.
func (s Specs) objects() []Object {
	var domains, volumes []Object
	owner := s.Network.Owner
	for _, n := range s.Nodes {
		domains = append(domains, Object{Kind: KindDomain, Name: n.Domain.Name, Owner: owner})
		volumes = append(volumes,
			Object{Kind: KindVolume, Name: n.Overlay.Name, Owner: owner, Pool: PoolName(owner)},
			Object{Kind: KindVolume, Name: n.Seed.Name, Owner: owner, Pool: PoolName(owner)})
	}
	for _, v := range []Volume{s.Base, s.Kernel, s.Initrd} {
		volumes = append(volumes, Object{Kind: KindVolume, Name: v.Name, Owner: owner, Pool: PoolName(owner)})
	}
	return slices.Concat(domains, volumes, []Object{
		{Kind: KindPool, Name: PoolName(owner), Owner: owner},
		{Kind: KindNetwork, Name: s.Network.Name, Owner: owner},
	})
}

// PoolName is the name of the storage pool of an owner.
func PoolName(owner string) string { return "labctl-" + owner }

func (c *Cluster) allRunning(ctx context.Context) (bool, error) {
	for _, name := range c.domainNames() {
		state, err := c.Hypervisor.DomainState(ctx, name)
		if errors.Is(err, ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if state != Running {
			return false, nil
		}
	}
	return true, nil
}

// anyMissing tells whether a domain does not exist.
func (c *Cluster) anyMissing(ctx context.Context) (bool, error) {
	for _, name := range c.domainNames() {
		_, err := c.Hypervisor.DomainState(ctx, name)
		if errors.Is(err, ErrNotFound) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// provision runs what is left of the provisioning plan, then takes the
// checkpoint.
func (c *Cluster) provision(ctx context.Context, rec Record) error {
	p, err := ProvisioningPlan(c.Topology.Provision)
	if err != nil {
		return err
	}
	if fresh, err := c.anyMissing(ctx); err != nil {
		return err
	} else if fresh {
		// What was done was done on disks that are gone.
		if rec, err = rec.unready(c.Dir); err != nil {
			return err
		}
	}
	nodes := c.NewNodes()
	defer nodes.Close()
	engine := c.engine(nodes, rec)
	engine.Skip = func(step string) string {
		if rec.finished(p, step) {
			return "done before"
		}
		return ""
	}
	engine.Listen = func(e journal.Event) {
		if e.Type == journal.StepDone && e.Verdict == plan.Pass.String() && !slices.Contains(rec.Done, e.Step) {
			rec.Done = append(rec.Done, e.Step)
			if err := rec.write(c.Dir); err != nil {
				c.say(err.Error()) // the step runs again after a crash; nothing is lost
			}
		}
		if c.Listen != nil {
			c.Listen(e)
		}
	}
	if err := c.runPlan(ctx, engine, p); err != nil {
		return err
	}
	if rec.Checkpoint, err = c.checkpoint(ctx); err != nil {
		return err
	}
	rec.Ready = c.now().UTC()
	return rec.write(c.Dir)
}

// finished tells whether a step need not run again. Actions and captures always
// run: actions look before they act, and captured values are kept nowhere.
func (r Record) finished(p plan.Plan, id string) bool {
	for _, s := range p.Steps {
		if s.ID == id {
			return s.Do == "" && len(s.Capture) == 0 && s.Group != GroupVerify && slices.Contains(r.Done, id)
		}
	}
	return false
}

func (c *Cluster) engine(n *Nodes, rec Record) *runner.Engine {
	return &runner.Engine{
		Select:  c.NodeNames,
		Conn:    n.Conn,
		Actions: c.actions(n),
		Vars:    c.vars(rec),
		Scale:   c.Accelerator.LimitScale(),
		Listen:  c.Listen,
	}
}

// runPlan runs a plan of provisioning. A verdict other than pass is a
// StepError with the evidence.
func (c *Cluster) runPlan(ctx context.Context, engine *runner.Engine, p plan.Plan) error {
	var last, output journal.Event
	listen := engine.Listen
	engine.Listen = func(e journal.Event) {
		if e.Type == journal.StepOutput && e.Verdict != plan.Pass.String() {
			output = e
		}
		if e.Type == journal.StepDone && (e.Verdict == plan.Fail.String() || e.Verdict == plan.Error.String()) {
			last = e
		}
		if listen != nil {
			listen(e)
		}
	}
	if c.limitInTests > 0 {
		p.Steps = slices.Clone(p.Steps)
		for i := range p.Steps {
			p.Steps[i].Timeout = c.limitInTests
		}
	}
	verdict, err := engine.Run(ctx, p)
	if err != nil {
		return err
	}
	if verdict == plan.Pass || verdict == plan.Skipped {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("running step %q of plan %q: %w", last.Step, p.Name, context.Cause(ctx))
	}
	if output.Step != last.Step {
		output = journal.Event{}
	}
	return c.evidence(ctx, p, last, output)
}

// checkpoint takes the paired snapshot where the hypervisor can; it tells
// whether it did.
func (c *Cluster) checkpoint(ctx context.Context) (bool, error) {
	facts, err := c.Hypervisor.Facts(ctx)
	if err != nil {
		return false, err
	}
	if !facts.Checkpoints {
		c.say(fmt.Sprintf("this hypervisor takes no checkpoints (%s); `labctl reset` will make the disks anew", facts.WhyNoCheckpoints))
		return false, nil
	}
	start := c.now()
	err = c.Hypervisor.Checkpoint(ctx, c.Owner, CheckpointName, c.domainNames())
	if errors.Is(err, ErrUnsupported) {
		c.say(fmt.Sprintf("taking the checkpoint is refused (%v); `labctl reset` will make the disks anew", err))
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c.say(fmt.Sprintf("checkpoint %q of all nodes taken in %.1f s", CheckpointName, c.now().Sub(start).Seconds()))
	return true, nil
}
