package runner

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/remote"
	"labctl/internal/remote/memory"
)

var update = flag.Bool("update", false, "rewrite golden files")

const wholePlan = `
  - id: made
    title: Done in an earlier life
    do: network
  - id: network
    title: Make the network
    group: ground
    do: network
  - id: find
    title: Find the address
    group: nodes
    on: a
    run: say ip=10.96.0.7 $FIXED
    capture: {CIP: 'ip=(\S+)'}
  - id: use
    title: Use it
    group: nodes
    on: a
    root: true
    timeout: 5s
    run: say got $CIP
    checks:
      - stdout: {equals: got 10.96.0.7}
  - id: wrong
    title: It does not hold
    on: a
    run: say something else
    retry: {every: 2s, limit: 5s}
    checks:
      - stdout: {contains: what was hoped for}
      - exit: 0
    hint: look in the log
  - id: later
    title: Never reached
    on: all
    run: say hello
`

func TestEvents(t *testing.T) {
	l := newLab()
	l.Vars = map[string]string{"FIXED": "007"}
	l.Scale = 3
	l.Skip = func(id string) string {
		if id == "made" {
			return "done before"
		}
		return ""
	}
	l.Actions = map[string]Action{"network": func(_ context.Context, say func(string)) error {
		say("bridge")
		l.clock.advance(1500 * time.Millisecond)
		say("addresses")
		return nil
	}}
	verdict, err := l.Run(t.Context(), parse(t, wholePlan))
	require.NoError(t, err)
	assert.Equal(t, plan.Fail, verdict)
	golden(t, "testdata/whole.jsonl", l.events)

	assert.Equal(t, map[string]string{"FIXED": "007", "CIP": "10.96.0.7"}, l.Vars, "the next plan of this engine sees what was captured")
	last := l.nodes["a"].Calls()[1].Command
	assert.True(t, last.Root)
	assert.Equal(t, 15*time.Second, last.Timeout, "limits are scaled")
	assert.Equal(t, map[string]string{"FIXED": "007", "CIP": "10.96.0.7"}, last.Env)
	// The limit of 15 s leaves room for attempts at 0, 3, 6, 9, 12 and 15 s.
	assert.Equal(t, []time.Duration{2e9, 2e9, 2e9, 2e9, 2e9}, l.clock.waits, "a wait before each retry, none after the last")
}

func TestRunAllGoesOnAndTellsTheWorst(t *testing.T) {
	const steps = `
  - {id: one, title: t, on: a, run: exit 3}
  - {id: two, title: t, on: a, run: nothing, checks: [{stdout: {empty: true}}]}
  - {id: three, title: t, on: all, run: say x}
`
	l := newLab()
	verdict, err := l.RunAll(t.Context(), parse(t, steps))
	require.NoError(t, err)
	assert.Equal(t, plan.Error, verdict)
	assert.Equal(t, []string{"one: fail", "two: error", "three: pass"}, l.verdicts())

	l = newLab()
	verdict, err = l.Run(t.Context(), parse(t, steps))
	require.NoError(t, err)
	assert.Equal(t, plan.Fail, verdict)
	assert.Equal(t, []string{"one: fail", "two: not run", "three: not run"}, l.verdicts())
	assert.Len(t, l.of(journal.StepStarted), 1)
}

func TestNodesOfAStepRunAtOnce(t *testing.T) {
	l := newLab()
	var both sync.WaitGroup
	both.Add(2)
	for name := range l.nodes {
		l.answer(name, func(remote.Command) memory.Answer {
			both.Done()
			both.Wait()
			return memory.Answer{}
		})
	}
	verdict, err := l.Run(t.Context(), parse(t, "  - {id: one, title: t, on: [a, all], run: x}\n"))
	require.NoError(t, err)
	assert.Equal(t, plan.Pass, verdict)
	assert.Len(t, l.of(journal.StepOutput), 2, "a node that is named twice runs once")
}

func TestOneNodeOfTwoFails(t *testing.T) {
	l := newLab()
	// Neither takes time, since both read one clock.
	l.answer("a", exit(0))
	l.answer("b", exit(1))
	verdict, err := l.Run(t.Context(), parse(t, "  - {id: one, title: t, on: all, run: say x, retry: {every: 1s, limit: 2s}}\n"))
	require.NoError(t, err)
	assert.Equal(t, plan.Fail, verdict)
	assert.Len(t, l.nodes["a"].Calls(), 1, "a node that has passed is left alone")
	assert.Len(t, l.nodes["b"].Calls(), 3)
}

func TestCapturesOnSeveralNodes(t *testing.T) {
	const steps = `
  - {id: one, title: t, on: all, run: say v=%s, capture: {V: 'v=(.*)'}}
  - {id: two, title: t, on: a, run: say $V}
`
	l := newLab()
	verdict, err := l.Run(t.Context(), parse(t, fmt.Sprintf(steps, "same")))
	require.NoError(t, err)
	assert.Equal(t, plan.Pass, verdict)
	assert.Equal(t, map[string]string{"V": "same"}, l.of(journal.StepDone)[0].Captured)

	l = newLab()
	verdict, err = l.Run(t.Context(), parse(t, fmt.Sprintf(steps, "$NODE")))
	require.NoError(t, err)
	assert.Equal(t, plan.Error, verdict)
	done := l.of(journal.StepDone)[0]
	assert.Equal(t, `capturing V: "a" on node "a", "b" on node "b"`, done.Error)
	assert.Empty(t, done.Captured)
}

func TestLostConnection(t *testing.T) {
	const retried = "  - {id: one, title: t, on: a, run: say x, retry: {every: 1s, limit: 10s}}\n"
	const once = "  - {id: one, title: t, on: a, run: say x, hint: h}\n"
	// Lost while it runs, after it has said something.
	begun := func(l *lab) func(remote.Command) memory.Answer {
		return func(remote.Command) memory.Answer {
			l.nodes["a"].Lose(errors.New("cable"))
			return memory.Answer{Output: remote.Output{Stdout: []byte("begun")}, After: time.Hour}
		}
	}

	t.Run("is another attempt of a retrying step, on a new connection", func(t *testing.T) {
		l := newLab()
		l.answer("a", begun(l))
		dial := l.Conn
		l.Conn = func(ctx context.Context, node string) (remote.Conn, error) {
			switch l.dials.Load() {
			case 1:
				l.dials.Add(1)
				return nil, errors.New("refused")
			case 2:
				l.nodes["a"] = memory.New()
				l.answer("a", l.echo("a"))
			}
			return dial(ctx, node)
		}
		verdict, err := l.Run(t.Context(), parse(t, retried))
		require.NoError(t, err)
		assert.Equal(t, plan.Pass, verdict)
		out := l.of(journal.StepOutput)
		require.Len(t, out, 3)
		assert.Equal(t, "running a script: connection lost: cable", out[0].Error)
		assert.Equal(t, "begun", out[0].Stdout)
		assert.Equal(t, "connecting: refused", out[1].Error)
		assert.Equal(t, []int{1, 2, 3}, []int{out[0].Attempt, out[1].Attempt, out[2].Attempt})
	})

	t.Run("is an error of any other step", func(t *testing.T) {
		l := newLab()
		l.answer("a", begun(l))
		verdict, err := l.Run(t.Context(), parse(t, once))
		require.NoError(t, err)
		assert.Equal(t, plan.Error, verdict)
		done := l.of(journal.StepDone)[0]
		assert.Equal(t, `running step "one" on node "a": running a script: connection lost: cable`, done.Error)
		assert.Equal(t, "h", done.Hint)
	})

	t.Run("any other transport error is not retried", func(t *testing.T) {
		l := newLab()
		l.Vars = map[string]string{"UID": "bash keeps this one for itself"}
		verdict, err := l.Run(t.Context(), parse(t, retried))
		require.NoError(t, err)
		assert.Equal(t, plan.Error, verdict)
		assert.Len(t, l.nodes["a"].Calls(), 1)
	})
}

func TestCancelled(t *testing.T) {
	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	l := newLab()
	l.answer("a", func(remote.Command) memory.Answer {
		cancel(interrupted)
		return memory.Answer{Output: remote.Output{Stdout: []byte("so far")}, After: time.Hour}
	})
	verdict, err := l.RunAll(ctx, parse(t, `
  - {id: one, title: t, on: a, run: say x, retry: {every: 1s, limit: 10s}}
  - {id: two, title: t, on: a, run: say x}
`))
	require.NoError(t, err)
	assert.Equal(t, plan.Error, verdict)
	assert.Equal(t, []string{"one: error", "two: not run"}, l.verdicts())
	assert.Contains(t, l.of(journal.StepDone)[0].Error, "interrupted")
	assert.Equal(t, "so far", l.of(journal.StepOutput)[0].Stdout)
	assert.Equal(t, journal.PlanDone, l.events[len(l.events)-1].Type)
}

type hinted struct{ error }

func (hinted) Hint() string { return "do this" }

func TestActions(t *testing.T) {
	t.Run("an error and its own hint", func(t *testing.T) {
		l := newLab()
		l.Actions = map[string]Action{"x": func(context.Context, func(string)) error {
			return fmt.Errorf("making: %w", hinted{errors.New("no room")})
		}}
		verdict, err := l.Run(t.Context(), parse(t, "  - {id: one, title: t, do: x, hint: the step's}\n"))
		require.NoError(t, err)
		assert.Equal(t, plan.Error, verdict)
		done := l.of(journal.StepDone)[0]
		assert.Equal(t, "making: no room", done.Error)
		assert.Equal(t, "do this", done.Hint)
	})
	t.Run("its time limit", func(t *testing.T) {
		l := newLab()
		l.Actions = map[string]Action{"x": func(ctx context.Context, _ func(string)) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		verdict, err := l.Run(t.Context(), parse(t, "  - {id: one, title: t, do: x, timeout: 1ms}\n"))
		require.NoError(t, err)
		assert.Equal(t, plan.Error, verdict)
		assert.Contains(t, l.of(journal.StepDone)[0].Error, "the time limit of 1ms is over")
	})
}

func TestWhatCannotRunIsRefusedBeforeTheFirstStep(t *testing.T) {
	l := newLab()
	l.Actions = map[string]Action{"network": nil, "domains": func(context.Context, func(string)) error { return nil }}
	delete(l.Actions, "network")
	verdict, err := l.Run(t.Context(), parse(t, `
  - {id: one, title: t, on: a, run: say x}
  - {id: two, title: t, do: domain}
  - {id: three, title: t, on: [a, c], run: say x}
`))
	assert.EqualError(t, err, "test.yaml:8:5: step \"two\": no action \"domain\": did you mean \"domains\"?\ntest.yaml:9:5: step \"three\": no node is \"c\"")
	assert.Equal(t, plan.NotRun, verdict)
	assert.Empty(t, l.events)
	assert.Empty(t, l.nodes["a"].Calls())
}

func TestRealClock(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	assert.ErrorIs(t, RealClock{}.Wait(ctx, time.Hour), cause)
	assert.NoError(t, RealClock{}.Wait(t.Context(), time.Millisecond))
}
