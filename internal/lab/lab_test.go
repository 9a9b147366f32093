package lab

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestBadFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/bad/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			_, err = Parse(filepath.Base(path), data)
			require.Error(t, err)
			golden := strings.TrimSuffix(path, ".yaml") + ".err"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644))
			}
			want, readErr := os.ReadFile(golden)
			require.NoError(t, readErr)
			assert.Equal(t, string(want), err.Error()+"\n")
		})
	}
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
