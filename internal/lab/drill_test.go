package lab

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDrills(t *testing.T) {
	data, err := os.ReadFile("testdata/good.yaml")
	require.NoError(t, err)
	l, err := Parse("good.yaml", data)
	require.NoError(t, err)
	require.Len(t, l.Drills, 2)

	d, number := l.Drill("greeting")
	assert.Equal(t, 1, number)
	assert.Equal(t, Drill{
		ID: "greeting", Title: "Nobody says hello", Cause: "The wire is cut",
		Needs: []string{"one", "sniff"}, Break: []string{"sniffed", "say-hello"}, Symptom: []string{"say-good-bye"},
		Fixed: []string{"one"}, Hints: []string{"Look at the wire.", "Look again."},
	}, d)
	assert.Equal(t, []string{"one", "sniff", "sniffed", "say-hello", "say-good-bye"}, d.Setup())
	d, number = l.Drill("2")
	assert.Equal(t, "silence 2", d.ID+" "+string(rune('0'+number)))
	for _, word := range []string{"0", "3", "-1", "02", "greetin", ""} {
		_, number = l.Drill(word)
		assert.Zero(t, number, word)
	}

	assert.Equal(t, []string{"a loose plug", "The wire is cut"}, l.Causes(), "the order is not that of the drills")
	l.Drills = append(l.Drills, Drill{Cause: "The wire is cut"})
	assert.Len(t, l.Causes(), 2, "two drills may have one cause")
}
