package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"labctl/internal/compare"
	"labctl/internal/plan"
	"labctl/internal/xyplot"
)

// What the plots of a history show at most.
const (
	maxHistoryLines = 12 // as many look different
	maxStepPlots    = 4  // of the series with the newest runs
	maxStepLines    = 6  // the slowest
)

// historyPlot is a plot over runs.
type historyPlot struct {
	Title   string
	Drawing template.HTML
	// Note says what is not in it; empty if nothing is left out.
	Note string
}

// wholePlots are how long whole runs took, a line for each kernel and accelerator.
func wholePlots(h compare.History) []historyPlot {
	p := xyplot.Plot{
		Title: "Seconds of a whole run",
		X:     xyplot.Axis{Label: "run, the oldest first"},
	}
	out, left := 0, 0
	for i, s := range h.Series {
		var points []xyplot.Point
		for _, number := range s.Runs {
			l := h.Runs[number-1]
			if l.Kind != compare.Whole || l.Trouble != "" || l.Seconds <= 0 {
				out++
				continue
			}
			points = append(points, xyplot.Point{X: float64(number), Y: l.Seconds})
		}
		if i < len(h.Series)-maxHistoryLines {
			left++
			continue
		}
		p.Series = append(p.Series, xyplot.Series{Name: line(seriesName(h, s), maxPlotLabel), Points: points})
	}
	var notes []string
	if out > 0 {
		notes = append(notes, plural(out, "run")+" that "+verb(out, "is", "are")+" not whole, or ended early")
	}
	if left > 0 {
		notes = append(notes, plural(left, "older kernel"))
	}
	p.Y = secondsAxis(p.Series)
	drawn := p.SVG()
	if drawn == "" {
		return nil
	}
	return []historyPlot{{p.Title, template.HTML(drawn), leftOut(notes)}}
}

// stepPlots are how long the slowest steps took, a plot for each kernel and
// accelerator that has at least two runs.
func stepPlots(h compare.History) []historyPlot {
	series := slices.Clone(h.Series)
	slices.SortStableFunc(series, func(a, b compare.Series) int { return b.Runs[len(b.Runs)-1] - a.Runs[len(a.Runs)-1] })
	var all []historyPlot
	for _, s := range series {
		if len(s.Runs) < 2 || len(all) == maxStepPlots {
			continue
		}
		p := xyplot.Plot{
			Title: "The slowest steps on " + seriesName(h, s),
			X:     xyplot.Axis{Label: "run, the oldest first"},
		}
		for _, step := range slowest(h, s) {
			p.Series = append(p.Series, xyplot.Series{Name: line(step.id, maxPlotLabel), Points: step.points})
		}
		p.Y = secondsAxis(p.Series)
		if drawn := p.SVG(); drawn != "" {
			all = append(all, historyPlot{Title: p.Title, Drawing: template.HTML(drawn)})
		}
	}
	return all
}

// secondsAxis is logarithmic where the longest would flatten all others, as a run
// under emulation does those on hardware.
func secondsAxis(series []xyplot.Series) xyplot.Axis {
	const flat = 8
	least, most := math.Inf(1), 0.0
	for _, s := range series {
		for _, at := range s.Points {
			least, most = min(least, at.Y), max(most, at.Y)
		}
	}
	if least > 0 && most >= flat*least {
		return xyplot.Axis{Label: "seconds, logarithmic", Log: true}
	}
	return xyplot.Axis{Label: "seconds"}
}

// timedStep is a step with its times where it passed.
type timedStep struct {
	id     string
	middle float64
	points []xyplot.Point
}

// slowest are the steps of a series with the largest medians.
func slowest(h compare.History, s compare.Series) []timedStep {
	in := map[int]bool{}
	for _, number := range s.Runs {
		in[number] = ofTheLab(h.Runs[number-1])
	}
	var all []timedStep
	for _, step := range h.Steps {
		one := timedStep{id: step.ID}
		var seconds []float64
		for _, r := range step.Runs {
			if in[r.Number] && r.Verdict == plan.Pass.String() {
				one.points = append(one.points, xyplot.Point{X: float64(r.Number), Y: r.Seconds})
				seconds = append(seconds, r.Seconds)
			}
		}
		if len(seconds) > 1 {
			slices.Sort(seconds)
			one.middle = seconds[len(seconds)/2]
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b timedStep) int { return cmp.Compare(b.middle, a.middle) })
	return all[:min(len(all), maxStepLines)]
}

func seriesName(h compare.History, s compare.Series) string {
	return joined(shortKernel(h, s.Kernel), s.Accelerator)
}

func leftOut(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return fmt.Sprintf("Not in the plot: %s.", strings.Join(notes, ", "))
}
