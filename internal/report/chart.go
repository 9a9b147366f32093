package report

import (
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"labctl/internal/chart"
	"labctl/internal/journal"
)

// pageChart is a chart as the page shows it.
type pageChart struct {
	chart.Chart
	// Drawing is markup that the chart has made and escaped.
	Drawing template.HTML
}

func newChart(s journal.StepResult) *pageChart {
	c := charted(s)
	return &pageChart{c, template.HTML(c.SVG())}
}

// charted makes the chart of what the last attempt on each node printed.
func charted(s journal.StepResult) chart.Chart {
	var sources []chart.Source
	for _, n := range byNode(s.Attempts) {
		sources = append(sources, chart.Source{
			Node: n.Node, Text: n.Last.Stdout, Elided: n.Last.Elided + n.Last.Dropped, Lost: lost(n.Last.Stderr),
		})
	}
	return chart.New(s.Chart.Title, sources)
}

var droppedByKernel = regexp.MustCompile(`(?m)^(\d{1,9}) packets? dropped by kernel$`)

// lost is how many packets tcpdump says at its end that it could not take: the
// kernel had no room for them.
func lost(stderr string) int64 {
	var n int64
	for _, m := range droppedByKernel.FindAllStringSubmatch(stderr, -1) {
		one, _ := strconv.ParseInt(m[1], 10, 64) // nine digits are a number
		n += one
	}
	return n
}

// maxMarkdownChart is how much of a chart report.md has, in bytes: one of forty
// packets fits.
const maxMarkdownChart = 14 << 10

// markdownCharts writes the charts of the steps that stand for themselves. A
// table's rows are many: theirs are in report.html.
func markdownCharts(b *strings.Builder, plans []journal.PlanResult) {
	heading := "\n## Packets\n"
	for _, p := range plans {
		for _, s := range p.Steps {
			if s.Chart == nil || s.Table != "" {
				continue
			}
			b.WriteString(heading)
			heading = ""
			b.WriteString("\n### " + inline(s.ID, 100) + ": " + inline(s.Chart.Title, 200) + "\n\n")
			if b.Len() > maxMarkdownWhole {
				b.WriteString("Whole in " + HTMLFile + ".\n")
				continue
			}
			fence(b, "text", elide(visible(charted(s).Text()), maxMarkdownChart))
		}
	}
}
