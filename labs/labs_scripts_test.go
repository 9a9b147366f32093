package labs

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/lab"
	"labctl/internal/plan"
	"labctl/internal/remote"
)

func allSteps(l lab.Lab) []plan.Step {
	var all []plan.Step
	for _, p := range l.Plans() {
		all = append(all, p.Steps...)
	}
	return all
}

func eachStep(t *testing.T, do func(*testing.T, plan.Step)) {
	for _, name := range Names() {
		l, err := Open(name)
		require.NoError(t, err)
		for _, s := range allSteps(l) {
			t.Run(name+"/"+s.ID, func(t *testing.T) { do(t, s) })
		}
	}
}

func TestEveryScriptIsBash(t *testing.T) {
	eachStep(t, func(t *testing.T, s plan.Step) {
		cmd := exec.CommandContext(t.Context(), "bash", "-n")
		cmd.Stdin = strings.NewReader(s.Run)
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%s: %s", s.Pos, out)
	})
}

// A check, or one side of a claim, that holds whatever came asserts nothing.
func TestEveryCheckCanFail(t *testing.T) {
	probes := []remote.Output{
		{},
		{Exit: 1},
		{Stdout: []byte("something else"), Stderr: []byte("something else")},
		{Stdout: []byte("-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP")},
	}
	vars := placeholders(t)
	eachStep(t, func(t *testing.T, s plan.Step) {
		assert.True(t, len(s.Checks)+len(s.Claims) > 0 || s.Background != nil, "%s: a step says what it expects", s.Pos)
		canFail := func(pos string, list ...plan.Check) {
			failed := false
			for _, out := range probes {
				for _, c := range list {
					failed = failed || c.Judge(out, vars).Verdict == plan.Fail
				}
			}
			assert.True(t, failed, pos)
		}
		for _, c := range s.Checks {
			canFail(c.Pos, c)
		}
		for _, c := range s.Claims {
			for _, side := range [][]plan.Check{c.Says, c.Shows} {
				if len(side) > 0 {
					canFail(c.Pos, side...)
				}
			}
		}
	})
}

// placeholders stand for what the steps of every lab capture, and for their rows'
// values.
func placeholders(t *testing.T) map[string]string {
	vars := map[string]string{}
	for _, name := range Names() {
		l, err := Open(name)
		require.NoError(t, err)
		for _, s := range allSteps(l) {
			for name := range s.Capture {
				vars[name] = "captured"
			}
			if s.Row != nil {
				for name := range s.Row.Vars {
					vars[name] = "of a row"
				}
			}
		}
	}
	return vars
}
