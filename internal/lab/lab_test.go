package lab

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/plan"
	"labctl/internal/remote"
	"labctl/internal/strictyaml/yamltest"
)

func TestBadFiles(t *testing.T) {
	yamltest.BadFiles(t, func(name string, data []byte) error {
		_, err := Parse(name, data)
		return err
	})
}

func TestGoodFile(t *testing.T) {
	l, err := Parse("lab.yaml", []byte(`apiVersion: labctl/v1
kind: Lab
name: x
title: A lab
writeup: An article
topology: pair
steps:
  - {id: one, title: t, on: control-plane, run: echo v=1, capture: {V: 'v=(\d)'}}
teardown:
  - {id: two, title: t, on: [cp, worker], run: echo $V}
`))
	require.NoError(t, err)
	assert.Equal(t, "x", l.Steps.Name)
	assert.Equal(t, "A lab", l.Steps.Title)
	assert.Equal(t, "x-teardown", l.Teardown.Name)
	assert.Equal(t, []string{"cp", "worker"}, l.Teardown.Steps[0].On)
	assert.Equal(t, "x-repair", l.Repair.Name)
	assert.Empty(t, l.Repair.Steps)
	assert.Equal(t, "An article", l.Writeup)
}

func TestEverything(t *testing.T) {
	data, err := os.ReadFile("testdata/good.yaml")
	require.NoError(t, err)
	l, err := Parse("good.yaml", data)
	require.NoError(t, err)

	hello := "007"
	assert.Equal(t, map[string]Var{"GREETING": {Default: &hello}, "PASSWORD": {Secret: true}}, l.Vars)
	assert.False(t, l.Shuffle)
	assert.Equal(t, []PaperClaim{
		{ID: "P1", Where: "title", Text: "It is from 2019.", Because: "It is about the article.", Verdict: plan.AboutPaper, Pos: "good.yaml:13:5"},
		{ID: "P2", Where: "step 3", Text: "It is slow.", Because: "There is no load here.", Verdict: plan.NotShown, Pos: "good.yaml:14:5"},
	}, l.Paper)

	one, sniff, sniffed := l.Steps.Steps[0], l.Steps.Steps[1], l.Steps.Steps[2]
	assert.Equal(t, plan.Retry{Every: 2 * time.Second, Limit: time.Minute, Stay: 4 * time.Second}, one.Retry)
	assert.True(t, one.Capture["TOKEN"].Secret)
	assert.False(t, one.Capture["N"].Secret)
	assert.Equal(t, "Look at the rule.", one.Explain)
	require.Len(t, one.Checks, 12)
	assert.Equal(t, "cp", one.Checks[7].Node)
	lines := one.Checks[3].Combined.Lines
	assert.Equal(t, [][2]int{{1, 1}, {2, 5}, {1, -1}, {3, 3}}, [][2]int{
		{lines[0].Min, lines[0].Max}, {lines[1].Min, lines[1].Max}, {lines[2].Min, lines[2].Max}, {lines[3].Min, lines[3].Max},
	})
	require.Len(t, one.Claims, 2)
	assert.Equal(t, plan.Wrong, one.Claims[0].Otherwise)
	assert.Equal(t, "There is a rule.", one.Claims[0].Text)
	assert.Equal(t, "Is it still there?", one.Claims[1].Text)
	assert.Empty(t, one.Claims[1].Says)

	assert.Equal(t, "listening on", sniff.Background.Ready.Expression())
	assert.Equal(t, "sniff", sniffed.Stop)
	assert.Equal(t, []string{"cp", "worker"}, sniffed.On, "where the step that it stops runs")
	assert.NotNil(t, l.Repair.Steps[0].Background)
	assert.Nil(t, l.Repair.Steps[0].Background.Ready)
}

// What was loaded judges as it was written.
func TestLoadedAndJudged(t *testing.T) {
	l, err := Parse("lab.yaml", []byte(`apiVersion: labctl/v1
kind: Lab
name: x
title: t
writeup: w
topology: pair
vars: {EXPECTED: 007}
steps:
  - id: one
    title: t
    on: all
    run: echo
    capture: {N: '^n=(\S+)$'}
    checks:
      - value: {of: '${N}', equals: '${EXPECTED}'}
    claims:
      - {id: A1, where: w, text: t, says: [{value: {of: '${N}', not: "7"}}]}
teardown:
  - {id: two, title: t, on: cp, run: "true"}
`))
	require.NoError(t, err)
	s := l.Steps.Steps[0]
	vars := map[string]string{"EXPECTED": *l.Vars["EXPECTED"].Default}
	judge := func(text string) (plan.Verdict, plan.ClaimVerdict) {
		verdict, _, claims := plan.JudgeNodes(s, map[string]plan.Outcome{"cp": s.Judge("cp", remote.Output{Stdout: []byte(text)}, vars)})
		return verdict, claims["A1"]
	}
	verdict, claim := judge("n=007")
	assert.Equal(t, plan.Pass, verdict, "leading zeros stay")
	assert.Equal(t, plan.Holds, claim)
	verdict, claim = judge("n=7")
	assert.Equal(t, plan.Fail, verdict)
	assert.Equal(t, plan.Contested, claim)
}

// TestParseNeverPanics cuts, doubles and changes good files at two hundred
// places, the same ones in every run.
func TestParseNeverPanics(t *testing.T) {
	good, err := os.ReadFile("testdata/good.yaml")
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	const nasty = "{}[]:'\"\\|*&!-?$\x00\xff\n 0a"
	accepted := 0
	for range 200 {
		bad := slices.Clone(good)
		at := random.IntN(len(bad))
		end := min(len(bad), at+1+random.IntN(30))
		switch random.IntN(4) {
		case 0:
			bad = slices.Delete(bad, at, end)
		case 1:
			bad = slices.Insert(bad, at, bad[at:end]...)
		case 2:
			bad = bad[:at]
		case 3:
			bad[at] = nasty[random.IntN(len(nasty))]
		}
		assert.NotPanics(t, func() {
			if _, err := Parse("f.yaml", bad); err == nil {
				accepted++
			}
		}, "%s", bad)
	}
	assert.Positive(t, accepted, "some changes are harmless")
	assert.Less(t, accepted, 180, "most are not")
}
