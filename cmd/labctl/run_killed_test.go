package main

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
)

// leaves is the body of a lab that leaves something at every step, and a process
// that runs beside it. With %s in place its teardown is enough, or needs a repair.
const leaves = `
steps:
  - id: beside
    title: Run on beside the others
    on: a
    background: true
    run: exec sleep 778
  - id: change
    title: Change both nodes
    on: all
    root: true
    run: touch /tmp/changed; sysctl -w net.ipv4.ip_forward=1
  - id: hang
    title: Leave a process behind that holds nothing
    on: b
    run: setsid sleep 777 </dev/null >/dev/null 2>&1 & touch /tmp/hanging
teardown:
  - id: files
    title: Remove the files
    on: all
    root: true
    run: rm -f /tmp/changed /tmp/hanging
%s
  - id: rest
    title: Undo the rest
    on: all
    root: true
    run: sysctl -w net.ipv4.ip_forward=0; for p in $(pidof sleep); do kill $p; done; true
`

// TestRunKilledAtEveryEvent kills a run with -9 as soon as its journal has one
// event, then two, and so on to its end; now and then kills the teardown that
// pays for it, too; and demands that the next one leaves nothing. Of a run that
// needs a repair only the events from there on are another story. LABCTL_STRIDE=3
// means every third event, from one that LABCTL_SEED says.
func TestRunKilledAtEveryEvent(t *testing.T) {
	stride, seed := number(t, "LABCTL_STRIDE", 1), number(t, "LABCTL_SEED", int(time.Now().UnixNano()%1e6))
	t.Logf("LABCTL_STRIDE=%d LABCTL_SEED=%d", stride, seed)
	for name, body := range map[string]string{
		"teardown": fmt.Sprintf(leaves, ""),
		"repair":   fmt.Sprintf(leaves, "repair:"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := hostsGround(t)
			file := labFile(t, "leaves", body)
			g.untouched(t)
			first := 1
			if name == "repair" {
				first = 20 // its teardown is done
			}
			for n := first + seed%stride; g.killedAt(t, file, n); n += stride {
			}
		})
	}
}

// killedAt kills a run when its journal has n events, and what pays for it a few
// events later. It tells whether the run had that many.
func (g *ground) killedAt(t *testing.T, file string, n int) bool {
	before := g.latest("leaves")
	run := g.start(t, "run", file)
	run.when(t, func() bool { now := g.latest("leaves"); return now != before && events(now) >= n })
	run.send(t, syscall.SIGKILL)
	run.wait(t)
	had, owed, killed := events(g.latest("leaves")), g.owed(t), g.result(t, "leaves")
	if killed.Complete {
		require.Greater(t, n, 20, "it has more events:\n%s", &run.said)
		g.untouched(t)
		return false
	}
	if n >= 4 && killed.Restore.Verdict != journal.Restored {
		require.NotNil(t, owed, "killed at event %d", had)
	}
	if n%4 < 2 {
		pay := g.start(t, "teardown")
		pay.when(t, func() bool { return events(g.latest("leaves")) > had+n/4 })
		pay.send(t, syscall.SIGKILL)
		pay.wait(t)
	}

	said := g.runs(t, exitOK, "teardown")
	g.untouched(t)
	if owed == nil {
		return true
	}
	r := g.result(t, "leaves")
	require.Equal(t, journal.Restored, r.Restore.Verdict, "killed at event %d:\n%s", had, said)
	if len(killed.Plans) == 1 && killed.Plans[0].Seconds == 0 {
		require.Equal(t, "error", r.Verdict, "nobody knows what would have become of its steps")
	}
	return true
}
