package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPlotNumber(t *testing.T) {
	for _, c := range []struct {
		text string
		log  bool
		want float64
		err  string
	}{
		{"1", false, 1, ""},
		{" 007\n", false, 7, ""},
		{"-1.5e+06", false, -1.5e6, ""},
		{"1e-15", true, 1e-15, ""},
		{"1e15", true, 1e15, ""},
		{"0", false, 0, ""},
		{"0", true, 0, "is not above 0, on an axis that is logarithmic"},
		{"-1", true, 0, "is not above 0, on an axis that is logarithmic"},
		{"1e-16", true, 0, "is less than 1e-15, on an axis that is logarithmic"},
		{"1e16", false, 0, "is more than 1e+15 away from 0"},
		{"-1e999", false, 0, "is more than 1e+15 away from 0"},
		{"", false, 0, "is no decimal number"},
		{"NaN", false, 0, "is no decimal number"},
		{"Inf", false, 0, "is no decimal number"},
		{"0x10", false, 0, "is no decimal number"},
		{"1_000", false, 0, "is no decimal number"},
		{"12ms", false, 0, "is no decimal number"},
	} {
		t.Run(c.text, func(t *testing.T) {
			got, err := PlotNumber(c.text, c.log)
			if c.err != "" {
				assert.EqualError(t, err, c.err)
				return
			}
			assert.NoError(t, err)
			assert.InDelta(t, c.want, got, 0)
		})
	}
}

func TestLogAxes(t *testing.T) {
	assert.True(t, LogX.HasX())
	assert.False(t, LogX.HasY())
	assert.True(t, LogY.HasY())
	assert.False(t, LogY.HasX())
	assert.True(t, LogBoth.HasX() && LogBoth.HasY())
	assert.False(t, LogAxes("").HasX() || LogAxes("").HasY())
}
