package labrun

import (
	"context"
	"errors"
	"fmt"
	"time"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/restore"
)

// putBack brings the cluster back to its baseline and proves it: the write-up's
// own teardown, then the lab's repair, then the checkpoint, until nothing
// differs. It has its own time, whatever has become of ctx.
func (a *run) putBack(ctx context.Context) {
	long, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), a.scaled(restoreLimit),
		fmt.Errorf("the time limit of %s for teardown and repair is over", a.scaled(restoreLimit)))
	defer cancel()
	// A signal that comes only now ends nothing, and is noted all the same.
	defer a.interrupted(ctx)
	if a.plans(long) {
		return
	}
	// The checkpoint has a time of its own: it is what helps when all else hangs.
	a.checkpoint(context.WithoutCancel(ctx))
}

// plans runs teardown and repair, and tells whether they were enough.
func (a *run) plans(ctx context.Context) bool {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	g := &gate{conn: a.Place.Conn, now: a.now, limit: a.scaled(reachLimit), giveUp: giveUp, since: map[string]time.Time{}}
	a.engine.Conn = g.Conn
	defer func() { a.engine.Conn = a.Place.Conn }()
	for _, step := range []struct {
		phase journal.Phase
		stage journal.Stage
		plan  plan.Plan
	}{
		{journal.Teardown, journal.AfterTeardown, a.lab.Teardown},
		{journal.Repair, journal.AfterRepair, a.lab.Repair},
	} {
		if len(step.plan.Steps) == 0 {
			continue
		}
		a.rec.enter(step.phase)
		if _, err := a.runSteps(ctx, step.plan, true); err != nil {
			a.err = errors.Join(a.err, err)
		}
		last := step.phase == journal.Repair || len(a.lab.Repair.Steps) == 0
		if a.compare(ctx, step.stage, last) {
			return true
		}
	}
	return false
}

// checkpoint goes back to the checkpoint, where there is one.
func (a *run) checkpoint(ctx context.Context) {
	if a.Place.Reset == nil {
		return
	}
	if err := a.Place.Reset(ctx); err != nil {
		a.compared(journal.Event{Stage: journal.AfterCheckpoint}, err)
		a.err = errors.Join(a.err, err)
		return
	}
	long, cancel := context.WithTimeout(ctx, a.scaled(restoreLimit))
	defer cancel()
	a.compare(long, journal.AfterCheckpoint, true)
}

// settles is how long a cluster may differ in the same way before that counts as
// how it is: Pods end, and rules are written. Machines without Kubernetes do
// neither.
func (a *run) settles() time.Duration {
	if a.Place.ControlPlane == "" {
		return settleBareLimit
	}
	return settleLimit
}

// compare looks at the cluster until it is as it was, or goes on differing in
// the same way. Patient means going on for as long as a cluster may need to
// settle, and says so, since nothing else is said meanwhile.
func (a *run) compare(ctx context.Context, stage journal.Stage, patient bool) bool {
	var before []journal.Difference
	var since time.Time
	for n := 0; ; n++ {
		now, err := a.look(ctx)
		if err != nil {
			a.compared(journal.Event{Stage: stage}, err)
			return false
		}
		left, remarks := restore.Compare(a.base, now)
		if len(left) == 0 {
			a.compared(journal.Event{Stage: stage, Remarks: remarks}, nil)
			return a.paid()
		}
		same := n > 0 && journal.SameDifferences(before, left)
		if !same {
			before, since = left, a.now()
		}
		if same && (!patient || a.now().Sub(since) >= a.settles()) {
			a.compared(journal.Event{Stage: stage, Differences: left, Remarks: remarks}, nil)
			return false
		}
		if n == 1 && patient {
			a.rec.tell(journal.Event{Type: journal.Progress, Time: a.now(), Text: fmt.Sprintf("the cluster differs: it has %s to settle", a.settles())})
		}
		if err := a.clock().Wait(ctx, settleEvery); err != nil {
			a.compared(journal.Event{Stage: stage, Differences: left, Remarks: remarks}, err)
			return false
		}
	}
}

// compared tells what a comparison found, or why there was none.
func (a *run) compared(e journal.Event, err error) {
	e.Type, e.Time = journal.Compared, a.now()
	if err != nil {
		e.Error = err.Error()
	}
	a.rec.event(a.rec.mask.Event(e))
}

// paid forgets what was owed.
func (a *run) paid() bool {
	if err := restore.ClearOwed(a.Place.Dir); err != nil {
		a.err = errors.Join(a.err, err)
		return false
	}
	a.owed = false
	return true
}
