package labrun

import (
	"context"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/remote"
)

// leadable is a lab whose second step passes once somebody has set a word, and
// whose teardown proves a claim if all was run.
const leadable = `steps:
  - {id: make, title: Make, on: a, run: "set one\nsay name svr", capture: {NAME: '^name (.*)$'}}
  - {id: works, title: Works, on: a, root: true, run: look, checks: [{stdout: {contains: mine}}], claims: [{id: C1, where: w, text: t, says: [{stdout: {contains: mine}}]}]}
  - {id: last, title: Last, on: a, run: "set last\nsay $NAME", checks: [{stdout: {equals: svr}}]}
teardown:
  - {id: td, title: t, on: a, run: "look\nunset one", claims: [{id: C2, where: w, text: t, says: [{exit: 0}]}]}
repair:
  - {id: rp, title: t, on: a, run: "unset last\nunset mine"}
`

// leader is an instructor whose orders are known.
type leader struct {
	cl     *cluster
	orders []any
	asked  []Turn
	shells []string
}

func (l *leader) Ask(ctx context.Context, at Turn) (Order, error) {
	l.asked = append(l.asked, at)
	if len(l.orders) == 0 {
		return Order{}, io.EOF
	}
	next := l.orders[0]
	l.orders = l.orders[1:]
	if do, ok := next.(func(context.Context) (Order, error)); ok {
		return do(ctx)
	}
	return next.(Order), nil
}

// Shell takes a minute and leaves a word.
func (l *leader) Shell(_ context.Context, node string, as remote.Command) error {
	l.shells = append(l.shells, fmt.Sprintf("%s root=%v NAME=%s", node, as.Root, as.Env["NAME"]))
	l.cl.mu.Lock()
	defer l.cl.mu.Unlock()
	l.cl.now = l.cl.now.Add(time.Minute)
	l.cl.words["mine"] = true
	return nil
}

func TestALedRun(t *testing.T) {
	next, shell := Order{}, Order{Act: journal.LedShell, Node: "a"}
	again, skip, accept := Order{Act: journal.LedAgain}, Order{Act: journal.LedSkip}, Order{Act: journal.LedAccept}
	end, keep, on := Order{Act: journal.LedEnd}, Order{Act: journal.LedKeep}, Order{Act: journal.LedRunOn}
	cl := newCluster()
	for name, c := range map[string]struct {
		options Options
		orders  []any
		code    int
		steps   string
		acts    string
		claims  string
		err     string
	}{
		"mended and run again": {
			orders: []any{next, next, shell, again, next, next}, code: ExitPassed, steps: "pass pass×2 pass",
			acts: "shell works on a 60s, run again works", claims: "holds holds",
		},
		"broken and run again": {
			orders: []any{next, shell, next, func(context.Context) (Order, error) {
				delete(cl.words, "mine")
				return again, nil
			}, accept, next, next}, code: ExitFailed, steps: "pass fail×2! pass",
			acts: "shell works on a 60s, run again works, accepted works", claims: "failed not judged",
		},
		"accepted, then mended": {
			orders: []any{next, next, accept, shell, again, next, next}, code: ExitPassed, steps: "pass pass×2 pass",
			acts: "accepted works, shell last on a 60s, run again works", claims: "holds holds",
		},
		"accepted": {
			orders: []any{next, next, accept, next, next}, code: ExitFailed, steps: "pass fail! pass",
			acts: "accepted works", claims: "failed not judged",
		},
		"skipped": {
			orders: []any{next, skip, next, next}, code: ExitPassed, steps: "pass skipped pass",
			acts: "skipped works", claims: "not judged not judged",
		},
		"run on to the end": {
			orders: []any{shell, on, next}, code: ExitPassed, steps: "pass pass pass",
			acts: "shell make on a 60s, run on ", claims: "holds holds",
		},
		"run on to a step": {
			orders: []any{shell, Order{Act: journal.LedRunOn, To: "last"}, end}, code: ExitPassed, steps: "pass pass not run",
			acts: "shell make on a 60s, run on last, ended last", claims: "holds not judged",
		},
		"run on into a failure": {
			orders: []any{on, end}, code: ExitFailed, steps: "pass fail not run",
			acts: "run on , ended last", claims: "failed not judged",
		},
		"ended at once": {
			orders: []any{end}, code: ExitNothing, steps: "not run not run not run",
			acts: "ended make", claims: "not judged not judged",
		},
		"the end of input":                   {code: ExitError, steps: "not run not run not run", acts: "end of input make", claims: "not judged not judged", err: `leading lab "x": the input ended before step "make"`},
		"the end of input later":             {orders: []any{shell, next, next}, code: ExitError, steps: "pass pass not run", acts: "shell make on a 60s, end of input last", claims: "holds not judged", err: `leading lab "x": the input ended before step "last"`},
		"the end of input at a fail":         {orders: []any{next, next}, code: ExitFailed, steps: "pass fail not run", acts: "end of input last", claims: "failed not judged"},
		"the end of input in the end":        {orders: []any{shell, on}, code: ExitPassed, steps: "pass pass pass", acts: "shell make on a 60s, run on , end of input ", claims: "holds holds"},
		"with fewer steps":                   {options: Options{Until: "make"}, orders: []any{next, next}, code: ExitPassed, steps: "pass skipped skipped", claims: "not judged holds"},
		"put back, whatever the options say": {options: Options{Keep: KeepAlways}, orders: []any{next, end}, code: ExitPassed, steps: "pass not run not run", acts: "ended works", claims: "not judged not judged"},
		"kept, whatever else was said":       {orders: []any{next, keep}, code: ExitPassed, steps: "pass not run not run", acts: "kept works", claims: "not judged not judged"},
	} {
		t.Run(name, func(t *testing.T) {
			cl.words = map[string]bool{}
			r := cl.runner(t)
			i := &leader{cl: cl, orders: c.orders}
			r.Instructor = i
			c.options.Led = true
			lab := source(t, leadable)
			result, dir, err := r.Lab(t.Context(), lab, c.options)
			require.NoError(t, err)
			assert.Empty(t, i.orders)
			told := func(r journal.Result) {
				t.Helper()
				assert.Equal(t, c.code, r.ExitCode)
				assert.Equal(t, c.steps, stepsOf(r))
				assert.Equal(t, c.acts, actsOf(r))
				assert.Equal(t, c.claims, claimsOf(r))
				assert.Equal(t, c.err, r.Error)
				assert.True(t, r.Run.Led)
			}
			told(result)
			if strings.HasPrefix(name, "kept") {
				assert.Equal(t, journal.Kept, result.Restore.Verdict)
				assert.True(t, cl.words["one"])
			} else {
				assert.Equal(t, journal.Restored, result.Restore.Verdict)
				assert.Empty(t, cl.words)
			}
			folder, err := journal.OpenFolder(dir)
			require.NoError(t, err)
			judged, err := Judge(folder, lab.Lab)
			require.NoError(t, err)
			told(judged)
			assert.Equal(t, result.Verdict, judged.Verdict)
		})
	}
}

func stepsOf(r journal.Result) string {
	var all []string
	for _, s := range r.Plans[0].Steps {
		text := s.Verdict
		if s.Runs > 0 {
			text += fmt.Sprintf("×%d", s.Runs)
		}
		if s.Accepted {
			text += "!"
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func actsOf(r journal.Result) string {
	var all []string
	for _, a := range r.Led.Acts {
		text := a.Act + " " + a.Step
		if a.Node != "" {
			text += fmt.Sprintf(" on %s %gs", a.Node, a.Seconds)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func claimsOf(r journal.Result) string {
	var all []string
	for _, c := range r.Claims {
		all = append(all, string(c.Verdict))
	}
	return strings.Join(all, " ")
}

func TestWhatAnInstructorIsAsked(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	i := &leader{cl: cl, orders: []any{Order{}, Order{Act: journal.LedShell, Node: "a"}, Order{}, Order{Act: journal.LedSkip}, Order{}}}
	r.Instructor = i
	_, _, err := r.Lab(t.Context(), source(t, leadable), Options{Led: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"a root=true NAME=svr"}, i.shells)
	first, last := i.asked[0], i.asked[len(i.asked)-1]
	assert.Equal(t, "make", first.About.ID)
	assert.Equal(t, []string{"works", "last"}, first.Ahead)
	assert.Equal(t, "last", first.NeededBy, "it uses what is captured")
	assert.Empty(t, i.asked[1].NeededBy)
	assert.Equal(t, []string{"a"}, first.Nodes)
	assert.Equal(t, 1, first.Number)
	assert.Equal(t, 3, first.Of)
	assert.Equal(t, "works", last.About.ID, "when all are through it is the one that was run last")
	assert.Empty(t, last.Ahead)

	for word, want := range map[string]string{"works": "works", "2": "works", "3": "last"} {
		id, err := first.To(word)
		require.NoError(t, err)
		assert.Equal(t, want, id)
	}
	for word, want := range map[string]string{
		"1": `step "make" is not ahead`, "make": `step "make" is not ahead`, "4": `there is no step "4": valid are make, works, last`,
		"work": `there is no step "work": did you mean "works"?`, "0": `there is no step "0": valid are make, works, last`,
	} {
		_, err := first.To(word)
		assert.EqualError(t, err, want)
	}
}

// Another run goes on with what an instructor kept, with what was captured last.
func TestGoOnWithALedRun(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	r.Instructor = &leader{cl: cl, orders: []any{
		Order{Act: journal.LedShell, Node: "a"}, Order{}, Order{Act: journal.LedAgain}, Order{Act: journal.LedKeep},
	}}
	again := strings.Replace(leadable, `"set one\nsay name svr"`, `"set one\nlook\nsay name svr"`, 1)
	first, _, err := r.Lab(t.Context(), source(t, again), Options{Led: true})
	require.NoError(t, err)
	assert.Equal(t, journal.Kept, first.Restore.Verdict)
	r.Instructor = &leader{cl: cl, orders: []any{Order{}, Order{}, Order{}}}
	result, _, err := r.Lab(t.Context(), source(t, again), Options{Led: true, From: "works"})
	require.NoError(t, err)
	assert.Equal(t, "skipped pass pass", stepsOf(result))
	assert.Equal(t, journal.Restored, result.Restore.Verdict)
	assert.Empty(t, cl.words)
}

func TestAnInterruptOfALedRun(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	r.Instructor = &leader{cl: cl, orders: []any{Order{}, func(ctx context.Context) (Order, error) {
		cancel(signalled{syscall.SIGTERM})
		<-ctx.Done()
		return Order{}, context.Cause(ctx)
	}}}
	result, _, err := r.Lab(ctx, source(t, leadable), Options{Led: true})
	require.NoError(t, err)
	assert.Equal(t, 128+int(syscall.SIGTERM), result.ExitCode)
	assert.Equal(t, "pass not run not run", stepsOf(result))
	assert.Equal(t, plan.Pass.String(), result.Verdict)
	assert.Equal(t, journal.Restored, result.Restore.Verdict)
	assert.Empty(t, cl.words)
}

// A run that was killed while its instructor thought is paid for as any other.
func TestNobodyLeads(t *testing.T) {
	cl := newCluster()
	result, _, err := cl.runner(t).Lab(t.Context(), source(t, leadable), Options{Led: true})
	require.NoError(t, err)
	assert.Equal(t, ExitError, result.ExitCode)
	assert.Equal(t, "end the input with g, to run all that is left, or with q", result.Hint)
	assert.Empty(t, cl.words)
}
