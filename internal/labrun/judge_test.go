package labrun

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/lab"
)

const greeting = "vars: {WORD: hello}\nsteps:\n  - {id: one, title: t, on: a, run: say $WORD 007, capture: {N: '(\\d+)'}, checks: [{stdout: {equals: '${WORD} ${N}'}}]}\n" + tidy

// recorded runs a lab and returns its folder.
func recorded(t *testing.T, body string, o Options) *journal.Folder {
	t.Helper()
	_, dir, err := newCluster().runner(t).Lab(t.Context(), source(t, body), o)
	require.NoError(t, err)
	folder, err := journal.OpenFolder(dir)
	require.NoError(t, err)
	return folder
}

// A run is judged with the values that it had, not with those of today.
func TestJudgeKnowsWhatWasGiven(t *testing.T) {
	folder := recorded(t, greeting, Options{Vars: map[string]string{"WORD": "goodbye"}})
	result, err := Judge(folder, source(t, greeting).Lab)
	require.NoError(t, err)
	assert.Equal(t, "pass", result.Verdict)
	assert.Equal(t, map[string]string{"N": "007"}, result.Plans[0].Steps[0].Captured)
}

func TestJudgeByOtherChecks(t *testing.T) {
	folder := recorded(t, greeting, Options{})
	for name, c := range map[string]struct {
		step    string
		verdict string
		code    int
	}{
		"another check":  {"run: say $WORD 007, checks: [{stdout: {equals: 'bye'}}]", "fail", ExitFailed},
		"another script": {"run: say $WORD 008, checks: [{exit: 0}]", "error", ExitError},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := lab.Parse("x.yaml", []byte(head+"vars: {WORD: hello}\nsteps:\n  - {id: one, title: t, on: a, "+c.step+"}\n"+tidy))
			require.NoError(t, err)
			result, err := Judge(folder, l)
			require.NoError(t, err)
			assert.Equal(t, c.verdict, result.Plans[0].Steps[0].Verdict)
			assert.Equal(t, c.verdict, result.Verdict)
			assert.Equal(t, c.code, result.ExitCode)
		})
	}
	require.NoError(t, os.RemoveAll(folder.File("raw")))
	_, err := Judge(folder, source(t, greeting).Lab)
	assert.ErrorIs(t, err, os.ErrNotExist, "what is not there is not made up")
}
