package lab

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/plan"
)

func TestPlotOfATable(t *testing.T) {
	data, err := os.ReadFile("testdata/good.yaml")
	require.NoError(t, err)
	good := string(data)
	whole := "{title: Seen and said, x: TIMES, y: HOW, by: WORD, xLabel: Times, yLabel: Seen, log: both}"
	require.Contains(t, good, whole)
	for written, want := range map[string]plan.Plot{
		whole:                {Title: "Seen and said", X: "TIMES", Y: "HOW", By: "WORD", XLabel: "Times", YLabel: "Seen", Log: plan.LogBoth},
		"{x: HOW, y: TIMES}": {Title: "Greetings", X: "HOW", Y: "TIMES", XLabel: "HOW", YLabel: "TIMES"},
	} {
		l, err := Parse("good.yaml", []byte(strings.Replace(good, whole, written, 1)))
		require.NoError(t, err)
		assert.Equal(t, &want, l.Steps.Tables[0].Plot)
	}
	l, err := Parse("good.yaml", []byte(strings.Replace(good, "    plot: "+whole+"\n", "", 1)))
	require.NoError(t, err)
	assert.Nil(t, l.Steps.Tables[0].Plot)
}
