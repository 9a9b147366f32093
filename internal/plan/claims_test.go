package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
)

func stdout(text string) remote.Output { return remote.Output{Stdout: []byte(text)} }

// checks parses each, as a file has it.
func checks(t *testing.T, list ...string) []Check {
	t.Helper()
	var all []Check
	for _, text := range list {
		all = append(all, parseCheck(t, text))
	}
	return all
}

func claimed(c Claim) Step {
	c.ID = "A1"
	return Step{On: []string{"all"}, Pos: "f:1:1", Claims: []Claim{c}}
}

func TestClaimOnOneNode(t *testing.T) {
	const (
		old = `{stdout: {contains: old}}`
		now = `{stdout: {contains: new}}`
		un  = `{stdout: {notContains: new}}`
	)
	for _, c := range []struct {
		name        string
		says, shows []Check
		out         remote.Output
		want        Verdict
		claim       ClaimVerdict
		got         string
	}{
		{"what it says", checks(t, old), checks(t, now), stdout("old"), Pass, Holds, ""},
		{"what is known instead", checks(t, old), checks(t, now), stdout("new"), Pass, Moved, ""},
		{"neither", checks(t, old), checks(t, now), stdout("x"), Fail, Contested, "neither holds"},
		{"both", checks(t, old), checks(t, now), stdout("old new"), Error, Ambiguous, "both hold: its checks do not tell them apart"},
		{"all checks of a side", checks(t, old, un), checks(t, now), stdout("old"), Pass, Holds, ""},
		{"not all checks of a side", checks(t, old, `{exit: 3}`), checks(t, now), stdout("old"), Fail, Contested, "neither holds"},
		{"expected to hold, and does", checks(t, old), nil, stdout("old"), Pass, Holds, ""},
		{"expected to hold, and does not", checks(t, old), nil, stdout("x"), Fail, Contested, "it does not hold"},
		{"a question", nil, checks(t, now), stdout("new"), Pass, Answered, ""},
		{"a question without its answer", nil, checks(t, now), stdout("x"), Fail, Contested, "it does not hold"},
		{"silence of a command that did not run", checks(t, un, `{exit: 1}`), checks(t, now), remote.Output{Exit: 127}, Error, Ambiguous, "its checks cannot be judged"},
		{"silence of a command that is asked to be missing", checks(t, un, `{exit: 127}`), checks(t, now, `{exit: 0}`), remote.Output{Exit: 127}, Pass, Holds, ""},
		{"exit 0 is not implied beside another", checks(t, `{exit: 1}`), checks(t, `{exit: 2}`), remote.Output{Exit: 2}, Pass, Moved, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := claimed(Claim{Says: c.says, Shows: c.shows, Otherwise: Moved, Pos: "f:2:2"})
			o := s.Judge("cp", c.out, nil)
			assert.Equal(t, c.want, o.Verdict, "%+v", o)
			require.Len(t, o.Claims, 1)
			assert.Len(t, o.Claims[0].Results, len(c.says)+len(c.shows))
			verdict, results, claims := JudgeNodes(s, map[string]Outcome{"cp": o})
			assert.Equal(t, c.want, verdict)
			assert.Empty(t, results, "the node has told it")
			assert.Equal(t, map[string]ClaimVerdict{"A1": c.claim}, claims)
			if c.got != "" {
				last := o.Results[len(o.Results)-1]
				assert.Equal(t, c.got, last.Got)
				assert.Equal(t, "f:2:2", last.Pos)
			}
		})
	}
}

func TestClaimInWords(t *testing.T) {
	says, shows := checks(t, `{exit: 3}`), checks(t, `{exit: 4}`)
	for want, c := range map[string]Claim{
		"claim A1: what it says, or what is known instead": {Says: says, Shows: shows},
		"claim A1: what it says":                           {Says: says},
		"claim A1: what is known":                          {Shows: shows},
	} {
		o := claimed(c).Judge("cp", stdout(""), nil)
		assert.Equal(t, want, o.Results[0].Want)
	}
}

func TestNodesTogether(t *testing.T) {
	const (
		a     = `{stdout: {contains: a}}`
		b     = `{stdout: {contains: b}}`
		onCP  = `{stdout: {contains: a}, node: cp}`
		onW   = `{stdout: {contains: b}, node: worker}`
		same  = `{same: '^v=(\S+)'}`
		onCP3 = `{exit: 3, node: cp}`
	)
	for _, c := range []struct {
		name        string
		says, shows []Check
		cp, worker  remote.Output
		want        Verdict
		claim       ClaimVerdict
		extra       string
	}{
		{"alike", checks(t, a), checks(t, b), stdout("a"), stdout("a"), Pass, Holds, ""},
		{"alike otherwise", checks(t, a), checks(t, b), stdout("b"), stdout("b"), Pass, Wrong, ""},
		{"a mixture", checks(t, a), checks(t, b), stdout("a"), stdout("b"), Fail, Contested, "neither holds (on cp: says holds, shows does not; on worker: says does not, shows holds)"},
		{"one node has told", checks(t, a), checks(t, b), stdout("a"), stdout("x"), Fail, Contested, ""},
		{"one side for each node", checks(t, onCP, onW), checks(t, `{stdout: {contains: c}, node: cp}`), stdout("a"), stdout("b"), Pass, Holds, ""},
		{"a node that only one side is about", checks(t, onCP), checks(t, onW), stdout("a"), stdout("x"), Pass, Holds, ""},
		{"both, on different nodes", checks(t, onCP), checks(t, onW), stdout("a"), stdout("b"), Error, Ambiguous, "both hold: its checks do not tell them apart (on cp: says holds, shows nothing; on worker: says nothing, shows holds)"},
		{"neither, on different nodes", checks(t, onCP), checks(t, onW), stdout("x"), stdout("x"), Fail, Contested, "neither holds (on cp: says does not, shows nothing; on worker: says nothing, shows does not)"},
		{"the same", checks(t, same), checks(t, `{stdout: {contains: v=2}}`), stdout("v=1"), stdout("v=1"), Pass, Holds, ""},
		{"not the same", checks(t, same), checks(t, `{stdout: {contains: v=2}, node: worker}`), stdout("v=1"), stdout("v=2"), Pass, Wrong, ""},
		{"not the same, and nothing else", checks(t, same), nil, stdout("v=1"), stdout("v=2"), Fail, Contested, `it does not hold (on cp: says holds, shows nothing; on worker: says holds, shows nothing; "1" on cp, "2" on worker)`},
		{"the same is not there", checks(t, same), nil, stdout("v=1"), stdout("x"), Fail, Contested, ""},
		{"an exit code is implied where nobody speaks of it", checks(t, onCP3), nil, remote.Output{Exit: 3}, remote.Output{Exit: 3}, Fail, Contested, ""},
		{"an exit code of one node", checks(t, onCP3), nil, remote.Output{Exit: 3}, remote.Output{}, Pass, Holds, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := claimed(Claim{Says: c.says, Shows: c.shows, Otherwise: Wrong})
			verdict, results, claims := JudgeNodes(s, map[string]Outcome{
				"cp":     s.Judge("cp", c.cp, nil),
				"worker": s.Judge("worker", c.worker, nil),
			})
			assert.Equal(t, c.want, verdict)
			assert.Equal(t, c.claim, claims["A1"])
			if c.extra == "" {
				assert.Empty(t, results)
				return
			}
			require.Len(t, results, 1)
			assert.Equal(t, c.extra, results[0].Got)
			assert.Equal(t, c.want, results[0].Verdict)
		})
	}
}

func TestNodesOfAStep(t *testing.T) {
	s := Step{Checks: checks(t, `{same: '^v=(\S+)'}`)}
	judge := func(cp, worker string) (Verdict, []Result) {
		verdict, results, _ := JudgeNodes(s, map[string]Outcome{
			"cp": s.Judge("cp", stdout(cp), nil), "worker": s.Judge("worker", stdout(worker), nil),
		})
		return verdict, results
	}
	verdict, results := judge("v=1", "v=1")
	assert.Equal(t, Pass, verdict)
	assert.Empty(t, results)
	verdict, results = judge("v=1", "v=01")
	assert.Equal(t, Fail, verdict)
	require.Len(t, results, 1)
	assert.Equal(t, `stdout matches /^v=(\S+)/, the same on every node`, results[0].Want)
	assert.Equal(t, `"1" on cp, "01" on worker`, results[0].Got)
	verdict, results = judge("v=1", "")
	assert.Equal(t, Fail, verdict)
	assert.Empty(t, results, "the node has told it")

	verdict, _, _ = JudgeNodes(Step{}, nil)
	assert.Equal(t, NotRun, verdict)
}

// A claim is as good as what it stands on.
func TestClaimStandsOnItsStep(t *testing.T) {
	s := claimed(Claim{Says: checks(t, `{stdout: {contains: a}}`)})
	s.Checks = checks(t, `{stdout: {contains: b}}`)
	s.Capture = map[string]Capture{"X": {Pattern: *re(t, "(a)")}}
	for _, c := range []struct {
		name  string
		o     Outcome
		want  Verdict
		claim ClaimVerdict
	}{
		{"all is well", s.Judge("cp", stdout("a b"), nil), Pass, Holds},
		{"a check fails", s.Judge("cp", stdout("a"), nil), Fail, Contested},
		{"the exit code is not 0", s.Judge("cp", remote.Output{Exit: 1, Stdout: []byte("a b")}, nil), Fail, Contested},
		{"it timed out", s.Judge("cp", remote.Output{Exit: -1, TimedOut: true, Stdout: []byte("a b")}, nil), Error, Ambiguous},
		{"the connection was lost", Outcome{Verdict: Error}, Error, Ambiguous},
	} {
		t.Run(c.name, func(t *testing.T) {
			verdict, results, claims := JudgeNodes(s, map[string]Outcome{"cp": c.o})
			assert.Equal(t, c.want, verdict)
			assert.Equal(t, c.claim, claims["A1"])
			assert.Empty(t, results)
		})
	}
}

func TestVariablesOfAStep(t *testing.T) {
	s := Step{
		Capture: map[string]Capture{"X": {Pattern: *re(t, `^x=(\S+)`)}},
		Checks:  []Check{{Value: &Value{Of: Template{"${X}-${Y}"}, Text: Text{Equals: text("1-2")}}, Pos: "f:1:1"}},
	}
	vars := map[string]string{"Y": "2"}
	assert.Equal(t, Pass, s.Judge("cp", stdout("x=1"), vars).Verdict)
	assert.Equal(t, map[string]string{"Y": "2"}, vars, "they are the caller's")
	o := s.Judge("cp", stdout("y"), vars)
	assert.Equal(t, Fail, o.Verdict, "it was looked for and is not there")
	assert.Equal(t, "nothing was captured as X", o.Results[1].Got)
	o = s.Judge("cp", stdout("x=1"), nil)
	assert.Equal(t, Error, o.Verdict, "an earlier step should have found it")
	assert.Equal(t, `variable "Y" has no value`, o.Results[1].Got)
}

func TestStopImpliesNoExitCode(t *testing.T) {
	killed := remote.Output{Exit: 130, Stdout: []byte("a")}
	assert.Equal(t, Pass, Step{Stop: "sniff", Checks: checks(t, `{stdout: {contains: a}}`)}.Judge("cp", killed, nil).Verdict)
	assert.Equal(t, Fail, Step{Stop: "sniff", Checks: checks(t, `{exit: 0}`)}.Judge("cp", killed, nil).Verdict)
	assert.Equal(t, Fail, Step{Checks: checks(t, `{stdout: {contains: a}}`)}.Judge("cp", killed, nil).Verdict)
}

func TestCheckOfAnotherNode(t *testing.T) {
	s := Step{Checks: checks(t, `{stdout: {contains: a}, node: cp}`)}
	assert.Equal(t, Fail, s.Judge("cp", stdout(""), nil).Verdict)
	o := s.Judge("worker", stdout(""), nil)
	assert.Equal(t, Pass, o.Verdict)
	assert.Len(t, o.Results, 1, "the implied exit code")
}
