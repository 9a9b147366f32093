package lab

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/plan"
	"labctl/internal/remote"
)

func TestTableBecomesSteps(t *testing.T) {
	data, err := os.ReadFile("testdata/good.yaml")
	require.NoError(t, err)
	l, err := Parse("good.yaml", data)
	require.NoError(t, err)

	var ids []string
	for _, s := range l.Steps.Steps {
		ids = append(ids, s.ID)
	}
	assert.Equal(t, []string{"one", "sniff", "sniffed", "watch-hello", "say-hello", "watched-hello", "watch-good-bye", "say-good-bye", "watched-good-bye"}, ids)

	require.Len(t, l.Steps.Tables, 1)
	table := l.Steps.Tables[0]
	assert.Equal(t, "greetings", table.ID)
	assert.Equal(t, []string{"WORD", "TIMES"}, table.Columns)
	assert.Equal(t, []string{"SAID", "HOW"}, table.Captures, "in the order of the file")
	require.Len(t, table.Rows, 2)
	assert.Equal(t, plan.Row{Table: "greetings", Number: 1, Vars: map[string]string{"WORD": "hello", "TIMES": "007"}}, *table.Rows[0], "as it was written")

	say := l.Steps.Steps[7]
	assert.Same(t, table.Rows[1], say.Row)
	assert.Equal(t, "Greetings", say.Group)
	assert.Equal(t, "Say good-bye, ${TIMES} times", say.Title)
	assert.Equal(t, "See good-bye and ${SAID}.", say.Explain)
	assert.Equal(t, "say good-bye", say.Hint)
	assert.Equal(t, `echo "$WORD $TIMES"`, say.Run)
	assert.Equal(t, "C-good-bye", say.Claims[0].ID)
	assert.Equal(t, "row good-bye", say.Claims[0].Where)
	assert.Equal(t, "It says good-bye.", say.Claims[0].Text)
	assert.Equal(t, "watch-good-bye", l.Steps.Steps[8].Stop)
	assert.Equal(t, []string{"all"}, l.Steps.Steps[8].On)
	assert.Equal(t, "The wire, good-bye", l.Steps.Steps[8].Chart.Title)

	written := table.Steps[1]
	assert.Nil(t, written.Row)
	assert.Equal(t, "say-${WORD}", written.ID)
	assert.Equal(t, "Say ${WORD}, $${TIMES} times", written.Title)
	assert.Equal(t, "C-${WORD}", written.Claims[0].ID)
	assert.Equal(t, "It says ${WORD}.", written.Claims[0].Text)
	assert.Equal(t, "watch-${WORD}", table.Steps[2].Stop)
	assert.Equal(t, "The wire, ${WORD}", table.Steps[2].Chart.Title)
	assert.Equal(t, "C-hello", l.Steps.Steps[4].Claims[0].ID, "what a step says is its own")
}

// A row's values and captures are its steps' alone.
func TestWhatARowSees(t *testing.T) {
	data, err := os.ReadFile("testdata/good.yaml")
	require.NoError(t, err)
	l, err := Parse("good.yaml", data)
	require.NoError(t, err)
	hello, bye, after := l.Steps.Steps[4], l.Steps.Steps[7], l.Teardown.Steps[0]
	run, rows := map[string]string{"GREETING": "x", "SAID": "of the run"}, plan.Captures{}
	rows.Add(hello, map[string]string{"SAID": "hello"}, run)
	rows.Add(after, map[string]string{"LATER": "y"}, run)

	assert.Equal(t, map[string]string{"GREETING": "x", "LATER": "y", "WORD": "hello", "TIMES": "007", "SAID": "hello"}, rows.Vars(hello, run))
	assert.Equal(t, map[string]string{"GREETING": "x", "LATER": "y", "WORD": "good-bye", "TIMES": "1", "SAID": "of the run"}, rows.Vars(bye, run))
	assert.Equal(t, map[string]string{"GREETING": "x", "LATER": "y", "SAID": "of the run"}, rows.Vars(after, run))

	out := remote.Output{Stdout: []byte("hello 007\n")}
	assert.Equal(t, plan.Pass, hello.Judge("cp", out, rows.Vars(hello, run)).Verdict)
	assert.Equal(t, plan.Fail, bye.Judge("cp", out, rows.Vars(bye, run)).Verdict)
}

func TestTablesMayShareNames(t *testing.T) {
	_, err := Parse("lab.yaml", []byte(`apiVersion: labctl/v1
kind: Lab
name: x
title: t
writeup: w
topology: pair
vars: {GIVEN: x}
steps:
  - {table: one, title: t, rows: [{A: a, B: 'for the reader'}], steps: [{id: 'a-${A}', title: t, on: cp, run: 'x $GIVEN', capture: {C: 'x'}}]}
  - {table: two, title: t, rows: [{A: a, D: a}], steps: [{id: 'b-${A}', title: t, on: cp, run: x, capture: {C: 'x'}}]}
  - {id: three, title: t, on: cp, run: 'echo x', capture: {C: 'x'}, checks: [{value: {of: '${C}', equals: x}}]}
teardown:
  - {table: four, title: t, rows: [{A: a}], steps: [{id: 'c-${A}', title: t, on: cp, run: 'x ${A}'}]}
`))
	require.NoError(t, err)
}

// A check of a table is written once, and an act that breaks one row proves it.
func TestSabotageOfATable(t *testing.T) {
	data, err := os.ReadFile("testdata/good.yaml")
	require.NoError(t, err)
	l, err := Parse("good.yaml", data)
	require.NoError(t, err)
	none := Sabotage{}.Uncaught(l)
	assert.Contains(t, none, "say-hello: check 1")
	assert.NotContains(t, none, "say-good-bye: check 1")
	one := Sabotage{Acts: []Act{{At: "say-good-bye", Checks: []int{1}, Claims: []string{"C-good-bye"}}}}.Uncaught(l)
	assert.Equal(t, len(none)-2, len(one))
	assert.NotContains(t, one, "say-hello: check 1")
}
