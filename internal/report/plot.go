package report

import (
	"fmt"
	"html/template"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/xyplot"
)

// pagePlot is the plot of a table as the page shows it.
type pagePlot struct {
	Title string
	// Drawing is markup that the plot has made and escaped; empty if no row has
	// what it needs.
	Drawing template.HTML
	// Left says which rows are not in it; empty if there are none.
	Left string
}

// maxPlotLabel is how many columns of a text are given to the drawing, which cuts
// it to the room that there is.
const maxPlotLabel = 200

// newPlot draws what a table's rows have; nil if the lab asks for no plot.
func newPlot(t journal.TableResult) *pagePlot {
	p := t.Plot
	if p == nil {
		return nil
	}
	drawn := xyplot.Plot{
		Title: line(p.Title, maxPlotLabel),
		X:     xyplot.Axis{Label: line(p.XLabel, maxPlotLabel), Log: p.Log.HasX()},
		Y:     xyplot.Axis{Label: line(p.YLabel, maxPlotLabel), Log: p.Log.HasY()},
	}
	// A line has its colour from its place among all rows, so that it is the same
	// in a run that ended early.
	series := map[string]int{}
	var idle, unfit int
	for _, row := range t.Rows {
		name := row.Values[p.By]
		i, known := series[name]
		if !known {
			i = len(drawn.Series)
			series[name] = i
			drawn.Series = append(drawn.Series, xyplot.Series{Name: line(name, maxPlotLabel)})
		}
		if !begun(row) {
			idle++
		} else if at, ok := plotted(p, row); ok {
			drawn.Series[i].Points = append(drawn.Series[i].Points, at)
		} else {
			unfit++
		}
	}
	return &pagePlot{Title: p.Title, Drawing: template.HTML(drawn.SVG()), Left: plotLeft(idle, unfit)}
}

// plotted is where a row's point is; false if one of its values has no place.
func plotted(p *plan.Plot, row journal.RowResult) (xyplot.Point, bool) {
	value := func(name string, log bool) (float64, bool) {
		text, column := row.Values[name]
		if !column {
			text = row.Captured[name]
		}
		n, err := plan.PlotNumber(text, log)
		return n, err == nil
	}
	x, okX := value(p.X, p.Log.HasX())
	y, okY := value(p.Y, p.Log.HasY())
	return xyplot.Point{X: x, Y: y}, okX && okY
}

// plotLeft says in words which rows have no point.
func plotLeft(idle, unfit int) string {
	var all []string
	for _, kind := range []struct {
		n         int
		one, many string
	}{
		{idle, "row that was not run", "rows that were not run"},
		{unfit, "row without the numbers that it takes", "rows without the numbers that it takes"},
	} {
		switch {
		case kind.n == 1:
			all = append(all, "1 "+kind.one)
		case kind.n > 1:
			all = append(all, fmt.Sprintf("%d %s", kind.n, kind.many))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "Not in the plot: " + strings.Join(all, ", ") + "."
}
