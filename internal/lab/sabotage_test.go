package lab

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSlipsInSabotage(t *testing.T) {
	l, err := Parse("lab.yaml", []byte(`apiVersion: labctl/v1
kind: Lab
name: x
title: t
writeup: w
topology: small
steps:
  - {id: one, title: t, on: a, run: echo x, checks: [{stdout: {equals: x}}]}
teardown:
  - {id: td, title: t, on: a, run: "true"}
`))
	require.NoError(t, err)
	_, err = ParseSabotage("s.yaml", []byte(`apiVersion: labctl/v1
kind: Sabotage
lab: y
acts:
  - {id: a, title: t, at: oen, on: a, run: x, undo: x, catches: check 1}
  - {id: a, title: t, at: one, on: c, run: x, undo: x, catches: [check 2, A1]}
`), l)
	assert.EqualError(t, err, `s.yaml:3:6: lab "y": the lab beside this file is "x"
s.yaml:5:27: lab "x" has no step "oen": did you mean "one"?
s.yaml:6:10: id "a" is taken
s.yaml:6:36: no node of topology "small" is "c"
s.yaml:6:66: step "one" has no check 2; it has 1
s.yaml:6:75: step "one" proves no claim "A1": there are none, or "check N"`)

	s, err := ParseSabotage("s.yaml", []byte(`apiVersion: labctl/v1
kind: Sabotage
lab: x
acts:
  - {id: a, title: t, at: one, on: [a, b], run: x, undo: y, catches: check 1}
`), l)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, s.Acts[0].On)
	assert.Equal(t, []int{1}, s.Acts[0].Checks)
	assert.Empty(t, s.Uncaught(l))

	second := s.Acts[0]
	second.ID = "second"
	s.Acts = append(s.Acts, second)
	some, err := s.Only([]string{"second"})
	require.NoError(t, err)
	assert.Equal(t, []Act{second}, some.Acts)
	_, err = s.Only([]string{"a", "secnd"})
	assert.EqualError(t, err, `choosing acts of lab "x": unknown act "secnd": did you mean "second"?`)

	s.Acts = nil
	assert.Equal(t, []string{"one: check 1"}, s.Uncaught(l))
}
