package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/remote"
	"labctl/internal/remote/memory"
)

// paced runs a plan with choices that are known, and tells what was asked. When
// there are no more, the plan ends.
func (l *lab) paced(t *testing.T, p plan.Plan, choices ...Choice) (plan.Verdict, []string) {
	t.Helper()
	var asked []string
	l.Pace = func(_ context.Context, at Turn) Choice {
		text := fmt.Sprintf("%d/%d", at.Number, at.Of)
		if at.Next != nil {
			text += " " + at.Next.ID
		}
		if at.Last != nil {
			text += fmt.Sprintf(" after %s (%s)", at.Last.ID, at.Verdict)
		}
		if at.Failed {
			text += " failed"
		}
		if len(at.Running) > 0 {
			text += " beside " + strings.Join(at.Running, ",")
		}
		asked = append(asked, text)
		if len(choices) == 0 {
			return End
		}
		next := choices[0]
		choices = choices[1:]
		return next
	}
	verdict, err := l.Run(t.Context(), p)
	require.NoError(t, err)
	assert.Empty(t, choices, "all was asked for")
	return verdict, asked
}

const walked = `
  - {id: one, title: t, on: a, run: say 1, capture: {N: '(.*)'}}
  - {id: two, title: t, on: a, run: say $N, checks: [{stdout: {equals: '2'}}]}
  - {id: three, title: t, on: a, run: say 3}
`

func TestPace(t *testing.T) {
	for name, c := range map[string]struct {
		choices  []Choice
		skip     string
		verdict  plan.Verdict
		asked    []string
		verdicts []string
	}{
		"accepted": {
			[]Choice{Go, Go, Go, Go, Go}, "", plan.Fail,
			[]string{"1/3 one", "2/3 two after one (pass)", "3/3 three after two (fail) failed", "3/3 three after two (fail)", "4/3 after three (pass)"},
			[]string{"one: pass", "two: fail", "three: pass"},
		},
		"skipped": {
			[]Choice{Go, Skip, Go, Go}, "", plan.Pass,
			[]string{"1/3 one", "2/3 two after one (pass)", "3/3 three after one (pass)", "4/3 after three (pass)"},
			[]string{"one: pass", "two: skipped", "three: pass"},
		},
		"run again": {
			[]Choice{Again, Go, Again, Again, Go, Again, Again, End}, "", plan.Fail,
			[]string{
				"1/3 one", "1/3 one", "2/3 two after one (pass)", "2/3 two after one (pass)", "2/3 two after one (pass)",
				"3/3 three after two (fail) failed", "3/3 three after two (fail) failed", "3/3 three after two (fail) failed",
			},
			[]string{"one: pass", "one: pass", "one: pass", "two: fail", "two: fail", "two: fail", "three: not run"},
		},
		"ended": {
			[]Choice{Go, End}, "", plan.Pass,
			[]string{"1/3 one", "2/3 two after one (pass)"},
			[]string{"one: pass", "two: not run", "three: not run"},
		},
		"ended at once": {[]Choice{End}, "", plan.NotRun, []string{"1/3 one"}, []string{"one: not run", "two: not run", "three: not run"}},
		"what is left out anyway is not asked": {
			[]Choice{Go, Go, End}, "one", plan.Fail,
			[]string{"2/3 two", "3/3 three after two (fail) failed", "3/3 three after two (fail)"},
			[]string{"one: skipped", "two: fail", "three: not run"},
		},
		"nor is it waited for": {
			[]Choice{Go, Go, Again, Again, Go, End}, "three", plan.Fail,
			[]string{
				"1/3 one", "2/3 two after one (pass)", "4/3 after two (fail) failed", "4/3 after two (fail) failed",
				"4/3 after two (fail) failed", "4/3 after two (fail)",
			},
			[]string{"one: pass", "two: fail", "two: fail", "two: fail", "three: skipped"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab()
			l.Skip = func(id string) string {
				if id == c.skip {
					return "not asked for"
				}
				return ""
			}
			l.Vars = map[string]string{"N": "1"}
			verdict, asked := l.paced(t, parse(t, walked), c.choices...)
			assert.Equal(t, c.asked, asked)
			assert.Equal(t, c.verdicts, l.verdicts())
			assert.Equal(t, c.verdict, verdict)
		})
	}
}

// What is run again counts as it is then, and what was put right meanwhile shows.
func TestPaceMends(t *testing.T) {
	l := newLab()
	worked := false
	l.answer("a", func(remote.Command) memory.Answer {
		out := memory.Answer{Output: remote.Output{Stdout: []byte("1\n")}}
		if worked {
			out.Output.Stdout = []byte("2\n")
		}
		worked = !worked
		return out
	})
	verdict, asked := l.paced(t, parse(t, walked[strings.Index(walked, "  - {id: two"):]), Go, Again, Go, Go)
	assert.Equal(t, plan.Pass, verdict)
	assert.Equal(t, []string{"1/2 two", "2/2 three after two (fail) failed", "2/2 three after two (pass)", "3/2 after three (pass)"}, asked)
}

func TestPaceOfBackgroundSteps(t *testing.T) {
	l := newLab()
	l.Vars = map[string]string{"WHERE": "any"}
	sniffs(l, "listening on any\n")
	verdict, asked := l.paced(t, listening(t, "say x"), Go, Again, Go, Go, Again, Go)
	assert.Equal(t, plan.Pass, verdict)
	assert.Equal(t, []string{
		"1/3 sniff", "2/3 act after sniff (pass) beside sniff", "2/3 act after sniff (pass) beside sniff",
		"3/3 heard after act (pass) beside sniff", "4/3 after heard (pass)", "4/3 after heard (pass)",
	}, asked, "a step that stops another is not run again")
	asks := 0
	for _, c := range l.nodes["a"].Calls() {
		if c.Command.Script == stopScript {
			asks++
		}
	}
	assert.Equal(t, 2, asks, "the first was ended before the second began")
}

func TestPaceEndsWithItsContext(t *testing.T) {
	l := newLab()
	ctx, cancel := context.WithCancelCause(t.Context())
	l.Pace = func(context.Context, Turn) Choice {
		cancel(errors.New("enough"))
		return Go
	}
	verdict, err := l.Run(ctx, parse(t, walked))
	require.NoError(t, err)
	assert.Equal(t, plan.NotRun, verdict)
	assert.Equal(t, []string{"one: not run", "two: not run", "three: not run"}, l.verdicts())
	assert.Empty(t, l.of(journal.StepStarted))
}
