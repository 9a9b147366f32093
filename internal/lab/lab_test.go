package lab

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
  - {id: two, title: t, on: [cp, worker], run: "true"}
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
