package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// tabled is a run of a table of cells that stopped in its third row, and of one
// that nobody asked for.
func tabled() journal.Result {
	r := realistic()
	r.Error, r.Verdict, r.ExitCode, r.Claims, r.Counts = "", "fail", 1, nil, nil
	var steps []journal.StepResult
	t := journal.TableResult{ID: "rule-on", Title: "With the rule", Columns: []string{"CELL", "CLIENT", "OFFSET", "ENTRY", "EXPECT"}, Captures: []string{"SEEN", "AGREED"}}
	for i, c := range []struct{ client, entry, expect, verdict string }{
		{"pod", "present", "lives", "pass"}, {"host", "present", "dies", "pass"}, {"pod", "absent", "lives", "fail"}, {"host", "absent", "dies", "not run"},
	} {
		cell := c.client + "-future-" + c.entry
		ask := aStep("rule-on-"+cell, cell+": twenty connections", float64(10*i), 8, "cell", "seen: lives\nagreed: 20\n", "exit code 0")
		seen := aStep("rule-on-"+cell+"-seen", cell+": what was on the wire", float64(10*i)+8, 1.5, "exec tcpdump", "Flags [S]\n", "exit code 0")
		ask.Group, seen.Group, ask.Verdict = t.Title, t.Title, c.verdict
		row := journal.RowResult{
			RowInfo: journal.RowInfo{Values: map[string]string{"CELL": cell, "CLIENT": c.client, "OFFSET": "200000000", "ENTRY": c.entry, "EXPECT": c.expect}, Steps: []string{ask.ID, seen.ID}},
			Verdict: c.verdict, Seconds: 9.5,
		}
		switch c.verdict {
		case "pass":
			row.Captured = map[string]string{"SEEN": c.expect, "AGREED": "20"}
		case "fail":
			row.Captured = map[string]string{"SEEN": "dies", "AGREED": "0"}
			row.At = ask.ID
			ask.Attempts[0].Checks = []journal.CheckResult{{Verdict: "fail", Want: "stdout matches /^seen: lives$/", Got: "seen: dies", Pos: "lab.yaml:88:9"}}
			seen = journal.StepResult{ID: seen.ID, Group: t.Title, Title: seen.Title, Verdict: "not run"}
		default:
			row.Seconds = 0
			ask = journal.StepResult{ID: ask.ID, Group: t.Title, Title: ask.Title, Verdict: "not run"}
			seen = journal.StepResult{ID: seen.ID, Group: t.Title, Title: seen.Title, Verdict: "not run"}
		}
		steps = append(steps, ask, seen)
		t.Rows = append(t.Rows, row)
	}
	other := journal.TableResult{ID: "rule-off", Title: "Without it", Columns: []string{"CELL"}, Rows: []journal.RowResult{
		{RowInfo: journal.RowInfo{Values: map[string]string{"CELL": "a"}, Steps: []string{"rule-off-a"}}, Verdict: "skipped"},
	}}
	r.Plans[0].Steps, r.Plans[0].Verdict = steps, "fail"
	r.Tables = []journal.TableResult{t, other}
	return r
}

// hostileTable has what breaks a report in every place, and more of it than fits.
func hostileTable(columns, rows int) journal.TableResult {
	t := journal.TableResult{ID: nasty, Title: nasty, Captures: []string{nasty}}
	values := map[string]string{}
	for i := range columns {
		name := fmt.Sprintf("%d %s", i, nasty)
		t.Columns = append(t.Columns, name)
		values[name] = nasty
	}
	t.Plot = &plan.Plot{Title: nasty, X: "x", Y: "y", By: t.Columns[0], XLabel: nasty, YLabel: strings.Repeat(nasty, 50), Log: plan.LogAxes(nasty)}
	for i := range rows {
		t.Rows = append(t.Rows, journal.RowResult{
			RowInfo:  journal.RowInfo{Values: values, Steps: []string{"s1", nasty, "gone"}},
			Captured: map[string]string{nasty: strings.Repeat(nasty, 50), "x": fmt.Sprint(i), "y": "-1e15"}, Verdict: nasty, At: nasty, Seconds: 1,
		})
	}
	return t
}

func TestTables(t *testing.T) {
	golden(t, "tables.txt", printers(t)["console.txt"](tabled()))
	golden(t, "tables.md", printers(t)["report.md"](tabled()))
}

func TestTablesInHTML(t *testing.T) {
	_, html, found := strings.Cut(page(t, tabled()), `<section class="rows">`)
	require.True(t, found)
	html, rest, found := strings.Cut(html, `<section class="rows">`)
	require.True(t, found)
	assert.Equal(t, 5, strings.Count(html, "<tr>"), "rows that were not run, too")
	assert.Contains(t, html, "<th>EXPECT</th><th>SEEN</th><th>AGREED</th>")
	assert.Contains(t, html, `<td>lives</td><td>dies</td><td>0</td><td><b class="badge v-fail">fail</b> <a href="#s-rule-on-pod-future-absent">rule-on-pod-future-absent</a></td>`)
	assert.Contains(t, html, `<a href="#s-rule-on-host-future-present" title="rule-on-host-future-present">1</a> <a href="#s-rule-on-host-future-present-seen" title="rule-on-host-future-present-seen">2</a>`)
	assert.Contains(t, rest, "rule-off")
	assert.NotContains(t, rest, `href="#s-rule-off-a"`, "the page has no such step")
}
