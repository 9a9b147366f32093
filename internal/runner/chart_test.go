package runner

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// TestChartIsInTheJournal: reports come from there alone.
func TestChartIsInTheJournal(t *testing.T) {
	l := newLab()
	_, err := l.Run(t.Context(), parse(t, "  - {id: one, title: t, on: a, run: say x, chart: {title: The wire}}\n  - {id: two, title: t, on: a, run: say x}\n"))
	require.NoError(t, err)
	done := l.of(journal.StepDone)
	assert.Equal(t, &plan.Chart{Title: "The wire"}, done[0].Chart)
	assert.Nil(t, done[1].Chart)
}
