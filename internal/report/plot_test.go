package report_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/report"
	"labctl/internal/xyplot"
)

// plotted is a run of a table that measures two modes; the last row was not run, and
// one has captured no number.
func plotted() journal.Result {
	r := tabled()
	t := journal.TableResult{
		ID: "lookup", Title: "Looking up a Service", Columns: []string{"SERVICES", "MODE"}, Captures: []string{"MICROSECONDS"},
		Plot: &plan.Plot{
			Title: "Time per new connection", X: "SERVICES", Y: "MICROSECONDS", By: "MODE",
			XLabel: "Services", YLabel: "Time per new connection, µs", Log: plan.LogBoth,
		},
	}
	for _, mode := range []struct {
		name  string
		times []string
	}{
		{"iptables", []string{"70", "74.5", "96", "310", "2710"}},
		{"ipvs", []string{"81", "80", "no answer", "82", ""}},
		{"nftables", []string{"66", "69", "0", "7.1e1", "74"}},
	} {
		for i, took := range mode.times {
			services := strconv.Itoa([]int{1, 10, 100, 1000, 10000}[i])
			row := journal.RowResult{
				RowInfo: journal.RowInfo{Values: map[string]string{"SERVICES": services, "MODE": mode.name}, Steps: []string{"ask-" + mode.name + "-" + services}},
				Verdict: "pass", Captured: map[string]string{"MICROSECONDS": took}, Seconds: 3,
			}
			if took == "" {
				row = journal.RowResult{RowInfo: row.RowInfo, Verdict: "not run"}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	r.Tables = append([]journal.TableResult{t}, r.Tables...)
	return r
}

// figure is the part of a page that has the plot.
func figure(t *testing.T, r journal.Result) string {
	t.Helper()
	_, html, found := strings.Cut(page(t, r), `<figure class="plot">`)
	require.True(t, found)
	html, _, found = strings.Cut(html, "</figure>")
	require.True(t, found)
	return html
}

func TestPlotInHTML(t *testing.T) {
	html := figure(t, plotted())
	golden(t, "plot.html", []byte(html))
	assert.Contains(t, html, "<figcaption>Time per new connection</figcaption>")
	assert.Contains(t, html, "iptables: 5 points. ipvs: 3 points. nftables: 4 points.")
	assert.Contains(t, html, "Not in the plot: 1 row that was not run, 2 rows without the numbers that it takes.")
	whole := page(t, plotted())
	table, plot := strings.Index(whole, "<th>MICROSECONDS</th>"), strings.Index(whole, `<figure class="plot">`)
	assert.Less(t, table, plot, "it is under its table")
	assert.Equal(t, 1, strings.Count(whole, `<figure class="plot">`), "the other tables have none")
}

// A line has the same colour in a run that did not come to the lines before it.
func TestPlotOfPartOfARun(t *testing.T) {
	r := plotted()
	for i := range 5 {
		row := &r.Tables[0].Rows[i]
		*row = journal.RowResult{RowInfo: row.RowInfo, Verdict: "skipped"}
	}
	html := figure(t, r)
	assert.NotContains(t, html, `xy-0"`)
	assert.Contains(t, html, `xy-2"`)
	assert.Contains(t, html, "6 rows that were not run")
	for i := range r.Tables[0].Rows {
		row := &r.Tables[0].Rows[i]
		*row = journal.RowResult{RowInfo: row.RowInfo, Verdict: "not run"}
	}
	html = figure(t, r)
	assert.NotContains(t, html, "<svg")
	assert.Contains(t, html, "Not in the plot: 15 rows that were not run.")
}

// A plot is for the page: the others have the table.
func TestPlotElsewhere(t *testing.T) {
	with, without := plotted(), plotted()
	without.Tables[0].Plot = nil
	for _, name := range []string{"console.txt", "report.md", "junit.xml"} {
		assert.Equal(t, string(printers(t)[name](without)), string(printers(t)[name](with)), name)
	}
	json, err := report.JSON(with)
	require.NoError(t, err)
	assert.Contains(t, string(json), `"xLabel": "Services"`)
}

// What a lab may have for a plot, the drawing has a place for.
func TestPlotNumbersHaveAPlace(t *testing.T) {
	for _, text := range []string{"0", "-1", "1", "1e15", "-1e15", "1e-15", "1.1e15", "-1.1e15", "0.9e-15"} {
		for _, log := range []bool{false, true} {
			n, err := strconv.ParseFloat(text, 64)
			require.NoError(t, err)
			_, refused := plan.PlotNumber(text, log)
			assert.Equal(t, xyplot.Axis{Log: log}.Takes(n), refused == nil, "%s, logarithmic: %t", text, log)
		}
	}
}
