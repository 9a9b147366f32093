package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Plot says that reports draw what a table's rows have: one name of the table
// against another.
type Plot struct {
	Title string `json:"title"`
	// X and Y name columns or captures of the table. Their values are numbers.
	X string `json:"x"`
	Y string `json:"y"`
	// By names the column whose values become one line each; empty for one line.
	By string `json:"by,omitempty"`
	// XLabel and YLabel stand at the axes.
	XLabel string `json:"xLabel"`
	YLabel string `json:"yLabel"`
	// Log says which axes are logarithmic.
	Log LogAxes `json:"log,omitempty"`
}

// LogAxes says which axes of a plot are logarithmic; empty for none.
type LogAxes string

// The axes that can be logarithmic.
const (
	LogX    LogAxes = "x"
	LogY    LogAxes = "y"
	LogBoth LogAxes = "both"
)

// HasX and HasY tell whether the axis is logarithmic.
func (l LogAxes) HasX() bool { return l == LogX || l == LogBoth }

// HasY tells it of the other axis.
func (l LogAxes) HasY() bool { return l == LogY || l == LogBoth }

// MaxLines is how many lines a plot may have: colours and dashes tell no more of
// them apart.
const MaxLines = 12

// largestPlotted is what fits an axis; a nanosecond in years fits it, too.
const largestPlotted = 1e15

// PlotNumber reads what a row has for an axis: a decimal number as the check
// `number` takes it, no more than 1e15 away from 0, and above 0 on an axis that is
// logarithmic, where it is 1e-15 at least. The error ends a sentence that names
// the value.
func PlotNumber(text string, log bool) (float64, error) {
	text = strings.TrimSpace(text)
	if !decimal.MatchString(text) {
		return 0, errNoNumber
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.Abs(n) > largestPlotted:
		return 0, fmt.Errorf("is more than %g away from 0", largestPlotted)
	case log && n <= 0:
		return 0, errNotAbove
	case log && n < 1/largestPlotted:
		return 0, fmt.Errorf("is less than %g, on an axis that is logarithmic", 1/largestPlotted)
	}
	return n, nil
}

type plotError string

func (e plotError) Error() string { return string(e) }

const (
	errNoNumber = plotError("is no decimal number")
	errNotAbove = plotError("is not above 0, on an axis that is logarithmic")
)
