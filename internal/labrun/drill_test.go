package labrun

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/restore"
)

// drilled is a lab whose teardown fails where not all steps were run, as a
// write-up's may.
const drilled = `steps:
  - {id: make, title: Make, on: a, run: "set service\nsay name svr", capture: {NAME: '^name (.*)$'}}
  - {id: cut, title: Cut, on: a, run: set cut}
  - {id: dead, title: Dead, on: a, run: look, checks: [{stdout: {contains: cut}}]}
  - {id: mend, title: Mend, on: a, run: unset cut}
  - id: works
    title: The service answers
    on: a
    run: "say $NAME\nlook"
    checks: [{stdout: {notContains: cut}}, {stdout: {notContains: flood}}]
    claims: [{id: C1, where: w, text: t, says: [{stdout: {contains: service}}]}]
  - {id: flood, title: Flood, on: a, run: set flood}
  - {id: last, title: Last, on: a, run: set last}
teardown:
  - {id: td, title: t, on: a, run: look, checks: [{stdout: {contains: last}}], claims: [{id: C2, where: w, text: t, says: [{stdout: {contains: last}}]}]}
repair:
  - {id: rp, title: t, on: a, run: "unset service\nunset cut\nunset flood\nunset last\nunset mine"}
drills:
  - {id: wire, title: Nobody answers, cause: The wire is cut, needs: make, break: cut, symptom: dead, fixed: works, hints: [one, two]}
  - {id: slow, title: It is slow, cause: A flood, needs: make, break: flood, fixed: works}
`

// script is a learner whose moves are known.
type script struct {
	moves []func(ctx context.Context, at Standing) (Move, error)
	asked []Standing
}

func (s *script) Ask(ctx context.Context, at Standing) (Move, error) {
	s.asked = append(s.asked, at)
	if len(s.moves) == 0 {
		return Move{}, io.EOF
	}
	next := s.moves[0]
	s.moves = s.moves[1:]
	return next(ctx, at)
}

func learner(moves ...any) *script {
	s := &script{}
	for _, m := range moves {
		switch m := m.(type) {
		case Move:
			s.moves = append(s.moves, func(context.Context, Standing) (Move, error) { return m, nil })
		case func(context.Context, Standing) (Move, error):
			s.moves = append(s.moves, m)
		}
	}
	return s
}

// does something to the cluster, then has it checked.
func (c *cluster) does(verb, word string) func(context.Context, Standing) (Move, error) {
	return func(context.Context, Standing) (Move, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.now = c.now.Add(time.Minute)
		if verb == "set" {
			c.words[word] = true
		} else {
			delete(c.words, word)
		}
		return Move{}, nil
	}
}

func TestADrill(t *testing.T) {
	right, wrong, check, hint := Move{Cause: "The wire is cut"}, Move{Cause: "A flood"}, Move{}, Move{Hint: true}
	cl := newCluster()
	for name, c := range map[string]struct {
		drill   string
		moves   []any
		code    int
		verdict string
		answers string
		tries   string
		hints   []string
	}{
		"diagnosed, then mended":       {"wire", []any{wrong, hint, right, cl.does("set", "mine"), cl.does("unset", "cut")}, ExitPassed, journal.DrillSolved, "fail pass", "fail:works pass:", []string{"one"}},
		"mended, then diagnosed":       {"1", []any{check, cl.does("unset", "cut"), check, right}, ExitPassed, journal.DrillSolved, "pass", "fail:works pass:", nil},
		"more hints than there are":    {"1", []any{hint, hint, hint, Move{GiveUp: true}}, ExitFailed, journal.DrillGaveUp, "", "", []string{"one", "two"}},
		"a fix that breaks another":    {"wire", []any{right, cl.does("set", "flood"), cl.does("unset", "cut")}, ExitFailed, journal.DrillGaveUp, "pass", "fail:works fail:works", nil},
		"given up half-way":            {"wire", []any{cl.does("unset", "cut"), Move{GiveUp: true}}, ExitFailed, journal.DrillGaveUp, "", "pass:", nil},
		"the end of input":             {"wire", []any{right}, ExitFailed, journal.DrillGaveUp, "pass", "", nil},
		"the other one, by its number": {"2", []any{Move{Cause: "A flood"}, cl.does("unset", "flood")}, ExitPassed, journal.DrillSolved, "pass", "pass:", nil},
	} {
		t.Run(name, func(t *testing.T) {
			cl.words = map[string]bool{}
			r := cl.runner(t)
			s := learner(c.moves...)
			r.Dialogue = s
			lab := source(t, drilled)
			result, dir, err := r.Lab(t.Context(), lab, Options{Drill: c.drill})
			require.NoError(t, err)
			assert.Equal(t, c.code, result.ExitCode)
			assert.Equal(t, journal.Restored, result.Restore.Verdict)
			assert.Equal(t, journal.AfterRepair, result.Restore.By, "what a learner did is put back, too")
			assert.Empty(t, cl.words)

			told := func(r journal.Result) {
				require.NotNil(t, r.Drill)
				assert.Equal(t, c.verdict, r.Drill.Verdict)
				assert.Equal(t, map[int]string{ExitPassed: "pass", ExitFailed: "fail"}[c.code], r.Verdict)
				var answers, tries []string
				for _, a := range r.Drill.Answers {
					answers = append(answers, a.Verdict)
				}
				for _, a := range r.Drill.Tries {
					tries = append(tries, a.Verdict+":"+a.At)
				}
				assert.Equal(t, c.answers, strings.Join(answers, " "))
				assert.Equal(t, c.tries, strings.Join(tries, " "))
				assert.Equal(t, c.hints, r.Drill.Hints)
				assert.Equal(t, 2, r.Drill.Of)
				assert.Empty(t, r.Claims, "a drill says nothing of the write-up")
			}
			told(result)
			assert.Equal(t, []string{"A flood", "The wire is cut"}, s.asked[0].Choices)
			steps := result.Plans[0].Steps
			assert.Equal(t, "pass", steps[0].Verdict)
			assert.Equal(t, "skipped", steps[3].Verdict)
			assert.Equal(t, "svr", result.Plans[0].Steps[0].Captured["NAME"])

			folder, err := journal.OpenFolder(dir)
			require.NoError(t, err)
			judged, err := Judge(folder, lab.Lab)
			require.NoError(t, err)
			told(judged)
			assert.Equal(t, c.code, judged.ExitCode)
		})
	}
}

// What passed then may not pass by today's checks.
func TestADrillIsJudgedAgain(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	r.Dialogue = learner(Move{Cause: "The wire is cut"}, cl.does("unset", "cut"))
	_, dir, err := r.Lab(t.Context(), source(t, drilled), Options{Drill: "wire"})
	require.NoError(t, err)
	folder, err := journal.OpenFolder(dir)
	require.NoError(t, err)
	judged, err := Judge(folder, source(t, strings.ReplaceAll(drilled, "{notContains: flood}", "{contains: flood}")).Lab)
	require.NoError(t, err)
	assert.Equal(t, journal.DrillGaveUp, judged.Drill.Verdict)
	assert.Equal(t, "fail", judged.Verdict)
	judged, err = Judge(folder, source(t, strings.ReplaceAll(drilled, "{contains: cut}", "{notContains: cut}")).Lab)
	require.NoError(t, err)
	assert.Equal(t, "fail", judged.Verdict, "the symptom was not there")
}

func TestADrillTakesTime(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	r.Dialogue = learner(Move{Cause: "The wire is cut"}, cl.does("set", "mine"), cl.does("unset", "cut"))
	result, _, err := r.Lab(t.Context(), source(t, drilled), Options{Drill: "wire"})
	require.NoError(t, err)
	assert.InDelta(t, 122, result.Drill.Seconds, 1, "two minutes of thought, two checks of a second")
	assert.Zero(t, result.Drill.Answers[0].Seconds)
	assert.InDelta(t, 60, result.Drill.Tries[0].Seconds, 1)
	var phases []string
	for _, p := range result.Plans {
		phases = append(phases, string(p.Phase))
	}
	assert.Equal(t, []string{"steps", "drill", "drill", "teardown", "repair"}, phases)
	assert.Contains(t, result.Plans[1].Steps[0].Attempts[0].Stdout, "cut")
}

func TestADrillThatCannotBeSetUp(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	s := learner()
	r.Dialogue = s
	result, _, err := r.Lab(t.Context(), source(t, strings.Replace(drilled, "run: set cut", "run: say nothing", 1)), Options{Drill: "wire"})
	require.NoError(t, err)
	assert.Equal(t, ExitError, result.ExitCode, "nobody failed")
	assert.Equal(t, `setting up drill 1 of lab "x": step "dead" did not pass`, result.Error)
	assert.Equal(t, "run the lab up to there: labctl run x --until dead", result.Hint)
	assert.Equal(t, journal.DrillNotSet, result.Drill.Verdict)
	assert.Equal(t, "error", result.Verdict)
	assert.Equal(t, journal.Restored, result.Restore.Verdict)
	assert.Empty(t, s.asked)
}

func TestAnInterruptedDrill(t *testing.T) {
	for name, moves := range map[string][]any{
		"while the learner thinks": {},
		"in the check of a fix":    {Move{}},
	} {
		t.Run(name, func(t *testing.T) {
			cl := newCluster()
			r := cl.runner(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			lab := drilled
			if len(moves) > 0 {
				lab = strings.Replace(lab, `run: "say $NAME\nlook"`, "run: hang $NAME\n    timeout: 1h", 1)
				go func() {
					<-cl.hanging
					cancel(signalled{syscall.SIGINT})
				}()
			}
			r.Dialogue = learner(append(moves, func(ctx context.Context, _ Standing) (Move, error) {
				cancel(signalled{syscall.SIGINT})
				<-ctx.Done()
				return Move{}, context.Cause(ctx)
			})...)
			result, _, err := r.Lab(ctx, source(t, lab), Options{Drill: "slow"})
			require.NoError(t, err)
			assert.Equal(t, 128+int(syscall.SIGINT), result.ExitCode)
			assert.Equal(t, journal.DrillCut, result.Drill.Verdict)
			assert.Equal(t, "error", result.Verdict)
			assert.Equal(t, journal.Restored, result.Restore.Verdict)
			assert.Empty(t, cl.words)
		})
	}
}

func TestDrillsThatThereAreNot(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	for word, want := range map[string][2]string{
		"9":    {`choosing steps of lab "x": it has no drill "9"`, "its drills are 1 (Nobody answers), 2 (It is slow)"},
		"wiro": {`choosing steps of lab "x": it has no drill "wiro"`, "its drills are 1 (Nobody answers), 2 (It is slow)"},
	} {
		_, _, err := r.Lab(t.Context(), source(t, drilled), Options{Drill: word})
		var selection *SelectionError
		require.ErrorAs(t, err, &selection)
		assert.EqualError(t, err, want[0])
		assert.Equal(t, want[1], selection.Hint())
	}
	_, _, err := r.Lab(t.Context(), source(t, steps+tidy), Options{Drill: "1"})
	assert.EqualError(t, err, `choosing steps of lab "x": it has no drills`)
	assert.Empty(t, cl.node.Calls())
}

// A kill in the middle of a drill leaves what the next call pays.
func TestPayForADrill(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	saved := t.TempDir()
	r.Dialogue = learner(func(context.Context, Standing) (Move, error) {
		dirs, err := filepath.Glob(r.Runs + "/x/2*")
		require.NoError(t, err)
		require.NoError(t, os.CopyFS(saved, os.DirFS(dirs[0])))
		return Move{}, io.EOF
	})
	_, _, err := r.Lab(t.Context(), source(t, drilled), Options{Drill: "wire"})
	require.NoError(t, err)

	after := newCluster()
	after.words = map[string]bool{"service": true, "cut": true}
	owed := restore.Owed{Lab: "x", Run: saved, Pair: "p"}
	result, _, err := after.runner(t).Pay(t.Context(), owed)
	require.NoError(t, err)
	assert.Equal(t, journal.Restored, result.Restore.Verdict)
	assert.Equal(t, journal.DrillCut, result.Drill.Verdict)
	assert.Empty(t, after.words)
}
