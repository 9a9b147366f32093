package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// tableHead are the names of a table's columns, then of what its steps capture.
func tableHead(t journal.TableResult) []string { return slices.Concat(t.Columns, t.Captures) }

// tableCells are a row's values, then what its steps have captured.
func tableCells(t journal.TableResult, row journal.RowResult) []string {
	cells := make([]string, 0, len(t.Columns)+len(t.Captures))
	for _, name := range t.Columns {
		cells = append(cells, row.Values[name])
	}
	for _, name := range t.Captures {
		cells = append(cells, row.Captured[name])
	}
	return cells
}

// begun tells whether anything of a row has been run. Of the others their number
// is all there is to say.
func begun(row journal.RowResult) bool {
	return row.At != "" || row.Verdict != plan.NotRun.String() && row.Verdict != plan.Skipped.String()
}

func rowCounts(t journal.TableResult) []Count {
	var verdicts []string
	for _, row := range t.Rows {
		verdicts = append(verdicts, orNotRun(row.Verdict))
	}
	return tally(verdicts, stepOrder)
}

// consoleTable writes one line for each row that was begun.
func consoleTable(w io.Writer, t journal.TableResult) {
	rows := [][]string{append(tableHead(t), "VERDICT", "STEP")}
	at := false
	for _, row := range t.Rows {
		if begun(row) {
			rows = append(rows, append(tableCells(t, row), orNotRun(row.Verdict), row.At))
			at = at || row.At != ""
		}
	}
	if !at { // a column without a word says nothing
		for i := range rows {
			rows[i] = rows[i][:len(rows[i])-1]
		}
	}
	fmt.Fprintln(w)
	paragraph(w, "", fmt.Sprintf("table %s: %s", t.ID, t.Title))
	if len(rows) > 1 {
		compact(w, rows)
	}
	paragraph(w, "", inWords("row", rowCounts(t)))
}

// maxMarkdownTables is how much of report.md all tables take together: some
// sixty rows. What did not pass needs the rest.
const maxMarkdownTables = 8 << 10

func markdownTables(b *strings.Builder, tables []journal.TableResult, left int) {
	add := func(text string) bool {
		left -= len(text)
		if left < 0 {
			b.WriteString("\nWhole in " + HTMLFile + ".\n")
			return false
		}
		b.WriteString(text)
		return true
	}
	cells := func(all ...string) string {
		var line strings.Builder
		row(&line, all...)
		return line.String()
	}
	for _, t := range tables {
		text := fmt.Sprintf("\n## %s\n\nTable %s: %s\n", inline(t.Title, 200), inline(t.ID, 100), inline(inWords("row", rowCounts(t)), 400))
		head := append(tableHead(t), "verdict", "step")
		if slices.ContainsFunc(t.Rows, begun) {
			text += "\n" + cells(head...) + strings.Repeat("|---", len(head)) + "|\n"
		}
		if !add(text) {
			return
		}
		for _, r := range t.Rows {
			if begun(r) && !add(cells(append(tableCells(t, r), orNotRun(r.Verdict), r.At)...)) {
				return
			}
		}
	}
}

type pageTable struct {
	ID, Title, Counts string
	Head              []string
	Rows              []pageRow
	// Plot is nil if the lab asks for none.
	Plot *pagePlot
}

type pageRow struct {
	Cells         []string
	Verdict, Time string
	// At and Links lead to steps that the page has.
	At    string
	Links []pageLink
}

type pageLink struct {
	Number int
	ID     string
}

func newTables(tables []journal.TableResult, steps map[string]bool) []pageTable {
	var all []pageTable
	for _, t := range tables {
		one := pageTable{ID: t.ID, Title: t.Title, Counts: inWords("row", rowCounts(t)), Head: tableHead(t), Plot: newPlot(t)}
		for _, r := range t.Rows {
			row := pageRow{Cells: tableCells(t, r), Verdict: orNotRun(r.Verdict)}
			if begun(r) {
				row.Time = seconds(r.Seconds)
			}
			if steps[r.At] {
				row.At = r.At
			}
			for i, id := range r.Steps {
				if steps[id] {
					row.Links = append(row.Links, pageLink{i + 1, id})
				}
			}
			one.Rows = append(one.Rows, row)
		}
		all = append(all, one)
	}
	return all
}
