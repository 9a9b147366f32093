package report_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/report"
)

// drawn is a run whose only step was asked to draw what tcpdump printed on two
// nodes; the tests of internal/chart have the same.
func drawn(name, title string) journal.Result {
	s := journal.StepResult{ID: "cell-seen", Title: "What was on the wire", Verdict: "pass", Seconds: 1, Started: began, Chart: &plan.Chart{Title: title}}
	for _, node := range []string{"cp", "worker"} {
		text, err := os.ReadFile("../chart/testdata/" + name + "." + node + ".txt")
		if err != nil {
			panic(err)
		}
		s.Attempts = append(s.Attempts, journal.Attempt{Node: node, Number: 1, Time: began, Verdict: "pass", Script: "exec tcpdump\n", Stdout: string(text), Seconds: 1})
	}
	return journal.Result{Run: aRun(), Started: began, Complete: true, Verdict: "pass",
		Plans: []journal.PlanResult{{Phase: journal.Steps, Name: "steps", Verdict: "pass", Steps: []journal.StepResult{s}}}}
}

func theReset() journal.Result { return drawn("reset", "The reset") }

func TestChart(t *testing.T) {
	html := page(t, theReset())
	assert.Contains(t, html, `id="s-cell-seen" open>`, "a step with a chart shows it")
	assert.Contains(t, html, `<figcaption><b>The reset</b> 10.244.0.5:55176 connects to 10.96.0.9:9001.</figcaption>`)
	assert.Equal(t, 1, strings.Count(html, "<svg xmlns="))
	assert.Contains(t, html, `<tspan class="odd">10.244.1.4</tspan>`)
	md := report.Markdown(theReset())
	assert.Contains(t, md, "\n## Packets\n\n### cell-seen: The reset\n\n```text\nThe reset\n")
	assert.Contains(t, md, "!10.244.1.4!")
	assert.NotContains(t, report.Markdown(realistic()), "## Packets")
}

// TestChartOfWhatThereIs: a chart is made of the last attempt on each node, and
// says what is missing; whatever came, there is a report.
func TestChartOfWhatThereIs(t *testing.T) {
	r := theReset()
	s := &r.Plans[0].Steps[0]
	first := s.Attempts[1]
	first.Stdout = "nothing yet"
	s.Attempts = []journal.Attempt{first, s.Attempts[0], s.Attempts[1]}
	s.Attempts[1].Elided, s.Attempts[1].Dropped = 70, 7
	html := page(t, r)
	assert.Contains(t, html, "Of the output of cp, 77 bytes in the middle are not in the record.")
	assert.NotContains(t, html, "is no packet")

	for _, attempts := range [][]journal.Attempt{nil, {{Node: "cp", Stdout: "no packets at all"}}} {
		s.Attempts = attempts
		for _, text := range []string{page(t, r), report.Markdown(r)} {
			assert.Contains(t, text, "There is nothing to draw: the output has no TCP or ARP packet as tcpdump")
			assert.NotContains(t, text, "<svg xmlns=")
		}
	}
}

// What tcpdump lost itself is told, and nothing is taken for lost on the way.
func TestChartOfALossyCapture(t *testing.T) {
	r := theReset()
	r.Plans[0].Steps[0].Attempts[0].Stderr = "listening on any\n30 packets captured\n30 packets received by filter\n0 packets dropped by kernel\n"
	assert.NotContains(t, page(t, r), "tcpdump lost")
	r.Plans[0].Steps[0].Attempts[0].Stderr = "30 packets received by filter\n7 packets dropped by kernel\n"
	assert.Contains(t, page(t, r), "On cp, tcpdump lost 7 packets.")
}

// Charts of a table's rows are drawn, and are shown when they are asked for.
func TestChartOfARow(t *testing.T) {
	r := theReset()
	r.Plans[0].Steps[0].Table = "cells"
	html := page(t, r)
	assert.Contains(t, html, `id="s-cell-seen">`)
	assert.Equal(t, 1, strings.Count(html, "<svg xmlns="))
	assert.NotContains(t, report.Markdown(r), "## Packets")
}

// TestManyCharts: report.md stays small enough for those who take it.
func TestManyCharts(t *testing.T) {
	r := theReset()
	for range 30 {
		r.Plans[0].Steps = append(r.Plans[0].Steps, r.Plans[0].Steps[0])
	}
	md := report.Markdown(r)
	assert.Less(t, len(md), 64<<10)
	assert.Contains(t, md, "Whole in report.html.")
	assert.Equal(t, 1, strings.Count(md, "## Packets"))
}

// TestChartInBrowser asks a real browser where it put the drawing's words: none
// lies over another, all are inside, and a narrow window scrolls the drawing and
// not the page.
func TestChartInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser: run without -short, with chromium there, as `make test` does")
	}
	probe := `<script>
		const say = (name, value) => document.documentElement.setAttribute("data-" + name, value)
		const svg = document.querySelector(".chart svg"), frame = svg.getBoundingClientRect()
		const words = [...svg.querySelectorAll("text")].map(t => ({t: t.textContent, b: t.getBoundingClientRect()}))
		const over = []
		words.forEach((a, i) => words.slice(i + 1).forEach(c => {
			const w = Math.min(a.b.right, c.b.right) - Math.max(a.b.left, c.b.left), h = Math.min(a.b.bottom, c.b.bottom) - Math.max(a.b.top, c.b.top)
			if (w > 1 && h > 5) over.push(a.t + " / " + c.t)
		}))
		say("over", over.join("; "))
		say("outside", words.filter(a => a.b.left < frame.left || a.b.right > frame.right || a.b.bottom > frame.bottom || a.b.top < frame.top).map(a => a.t).join("; "))
		say("words", words.length > 8)
		say("wide", document.documentElement.scrollWidth > document.documentElement.clientWidth)
		const box = document.querySelector(".chart .scroll")
		say("scrolls", box.scrollWidth > box.clientWidth)
		say("ink", getComputedStyle(svg.querySelector("text")).fill !== getComputedStyle(svg.querySelector(".box")).fill)
	</script></body>`
	for _, c := range []struct{ name, size, scrolls string }{
		{"reset", "1280,800", "false"}, {"reset", "500,800", "true"}, {"arp", "1280,800", "false"},
	} {
		t.Run(c.name+" "+c.size, func(t *testing.T) {
			html := page(t, drawn(c.name, "A chart"))
			dom, console := browser(t, strings.Replace(policyTag.ReplaceAllString(html, ""), "</body>", probe, 1), "--window-size="+c.size)
			assert.Empty(t, console)
			head, _, ok := strings.Cut(dom, "<head>")
			require.True(t, ok)
			for _, want := range []string{`data-over=""`, `data-outside=""`, `data-words="true"`, `data-wide="false"`, `data-scrolls="` + c.scrolls + `"`, `data-ink="true"`} {
				assert.Contains(t, head, want)
			}
		})
	}
}
