package labrun

import (
	"context"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/restore"
)

// named is a lab whose teardown needs what a variable and a capture say.
const named = "vars: {WORD: usual, PIN: {secret: true}}\n" +
	"steps:\n  - {id: one, title: t, on: a, run: \"set $WORD\\nset $PIN\\nset pod\\nsay pod\", capture: {POD: '^(\\S+)$'}}\n" +
	"  - {id: two, title: t, on: a, run: \"say $POD $WORD\", checks: [{stdout: {equals: 'pod given'}}]}\n" +
	"teardown:\n  - {id: td, title: t, on: a, run: \"unset $WORD\\nunset $POD\\nunset s3cr3t\\nunset $PIN\"}\n"

// left is a cluster with a run that was killed after it had changed everything.
func left(t *testing.T, body string, vars map[string]string) (*cluster, *Runner, restore.Owed) {
	t.Helper()
	cl := newCluster()
	r := cl.runner(t)
	_, _, err := r.Lab(t.Context(), source(t, body), Options{Keep: KeepAlways, Vars: vars})
	require.NoError(t, err)
	owed, err := r.Owed()
	require.NoError(t, err)
	require.NotNil(t, owed)
	return cl, r, *owed
}

func TestPayingKnowsWhatTheRunWasGiven(t *testing.T) {
	cl, r, owed := left(t, named, map[string]string{"WORD": "given", "PIN": "s3cr3t"})
	r.Place.Reset = nil
	require.Equal(t, map[string]bool{"given": true, "s3cr3t": true, "pod": true}, cl.copyWords())
	result, _, err := r.Pay(t.Context(), owed)
	require.NoError(t, err)
	assert.Equal(t, journal.Restored, result.Restore.Verdict)
	assert.Empty(t, cl.copyWords())
	assert.Equal(t, map[string]string{"WORD": "given", "PIN": journal.Masked}, result.Run.Vars)
}

func TestGoingOnKnowsWhatTheRunWasGiven(t *testing.T) {
	_, r, _ := left(t, named, map[string]string{"WORD": "given", "PIN": "s3cr3t"})
	_, _, err := r.Lab(t.Context(), source(t, named), Options{From: "two"})
	require.ErrorContains(t, err, `variable "PIN" has no value`, "a secret is not written down")
	result, _, err := r.Lab(t.Context(), source(t, named), Options{From: "two", Vars: map[string]string{"PIN": "s3cr3t"}})
	require.NoError(t, err)
	assert.Equal(t, ExitPassed, result.ExitCode)
}

// What was killed in the middle is no cluster to go on with.
func TestGoingOnNeedsAClusterThatWasKept(t *testing.T) {
	_, r, owed := left(t, steps+tidy, nil)
	assert.True(t, GoesOn("x", Options{From: "two"}, owed))
	assert.False(t, GoesOn("x", Options{}, owed))
	assert.False(t, GoesOn("y", Options{From: "two"}, owed))

	folder, err := journal.OpenFolder(owed.Run)
	require.NoError(t, err)
	file, err := folder.Journal()
	require.NoError(t, err)
	require.NoError(t, file.Append(journal.Event{Type: journal.Compared, Stage: journal.AfterTeardown, Error: "killed"}))
	require.NoError(t, file.Close())
	assert.False(t, GoesOn("x", Options{From: "two"}, owed))
	_, _, err = r.Lab(t.Context(), source(t, steps+tidy), Options{From: "two"})
	var refused *OwedError
	require.ErrorAs(t, err, &refused)
}

// Steps that passed before the signal came do not make it unseen.
func TestAnInterruptOfTheTeardownIsNoted(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	r.Listen = func(e journal.Event) {
		if e.Phase == journal.Teardown {
			cancel(signalled{syscall.SIGHUP})
		}
	}
	result, _, err := r.Lab(ctx, source(t, steps+tidy), Options{})
	require.NoError(t, err)
	assert.Equal(t, 129, result.ExitCode)
	assert.Equal(t, "hangup", result.Interrupted)
	assert.Equal(t, "pass", result.Verdict)
	assert.Equal(t, journal.Restored, result.Restore.Verdict)
	assert.Empty(t, cl.copyWords())
}

// The second go of a teardown may find nothing to delete. That is no failure of a
// lab that has passed.
func TestPayingLeavesTheVerdict(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	r.Place.Reset = nil
	result, _, err := r.Lab(t.Context(), source(t, `steps:
  - {id: one, title: t, on: a, run: "set link\nset forwarding"}
teardown:
  - {id: td, title: t, on: a, run: "look\nunset link", checks: [{stdout: {contains: link}}]}
`), Options{})
	require.NoError(t, err)
	require.Equal(t, "pass", result.Verdict)
	require.Equal(t, ExitUnrestored, result.ExitCode)
	owed, err := r.Owed()
	require.NoError(t, err)
	cl.words = map[string]bool{} // somebody has put it right by hand
	result, dir, err := r.Pay(t.Context(), *owed)
	require.NoError(t, err)
	assert.Equal(t, journal.Restored, result.Restore.Verdict)
	assert.Equal(t, "fail", result.Plans[2].Verdict, "the second go, which is told")
	assert.Equal(t, "pass", result.Verdict)
	folder, err := journal.OpenFolder(dir)
	require.NoError(t, err)
	l, err := FrozenLab(folder)
	require.NoError(t, err)
	judged, err := Judge(folder, l)
	require.NoError(t, err)
	assert.Equal(t, ExitPassed, judged.ExitCode)
}
