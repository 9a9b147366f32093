package labrun

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

const measured = `steps:
  - table: cells
    title: The cells
    plot: {x: SIZE, y: TOOK, log: x}
    rows: [{SIZE: "1"}, {SIZE: "10"}]
    steps:
      - {id: 'ask-${SIZE}', title: t, on: a, run: 'say $SIZE', capture: {TOOK: '(.*)'}}
` + tidy

// Reports are made from the journal alone, so it says how a table is drawn.
func TestPlotIsInTheJournal(t *testing.T) {
	want := &plan.Plot{Title: "The cells", X: "SIZE", Y: "TOOK", XLabel: "SIZE", YLabel: "TOOK", Log: plan.LogX}
	result, dir, err := newCluster().runner(t).Lab(t.Context(), source(t, measured), Options{})
	require.NoError(t, err)
	assert.Equal(t, want, result.Tables[0].Plot)
	folder, err := journal.OpenFolder(dir)
	require.NoError(t, err)
	events, err := folder.Events()
	require.NoError(t, err)
	assert.Equal(t, want, journal.Fold(events).Tables[0].Plot)
	assert.Equal(t, "10", journal.Fold(events).Tables[0].Rows[1].Captured["TOOK"])
}
