package labdoc

import (
	"fmt"
	"strings"

	"labctl/internal/columns"
	"labctl/internal/plan"
)

// item is a step, or a table with its steps as they were written.
type item struct {
	step  plan.Step
	table *plan.Table
}

// items are what a plan was written as: what a table's rows have become is left
// out for the table.
func items(p plan.Plan) []item {
	var all []item
	for _, s := range p.Steps {
		if s.Row == nil {
			all = append(all, item{step: s})
			continue
		}
		if n := len(all); n > 0 && all[n-1].table != nil && all[n-1].table.ID == s.Row.Table {
			continue
		}
		for i := range p.Tables {
			if p.Tables[i].ID == s.Row.Table {
				all = append(all, item{table: &p.Tables[i]})
			}
		}
	}
	return all
}

// cells are a table's rows, the names of the columns first.
func cells(t plan.Table) [][]string {
	all := [][]string{t.Columns}
	for _, row := range t.Rows {
		var values []string
		for _, name := range t.Columns {
			values = append(values, row.Vars[name])
		}
		all = append(all, values)
	}
	return all
}

// plotted says what reports draw of a table; empty if they draw nothing.
func plotted(t plan.Table) string {
	if t.Plot == nil {
		return ""
	}
	text := fmt.Sprintf("Reports draw %s over %s", t.Plot.Y, t.Plot.X)
	if t.Plot.By != "" {
		text += ", one line for each " + t.Plot.By
	}
	return text + "."
}

const eachRow = "Once for each row, with its values:"

func tableShown(b *strings.Builder, t plan.Table) {
	fmt.Fprintf(b, "\n%s  %s\n  (%s)\n", t.ID, t.Title, eachRow)
	rows := cells(t)
	widths := make([]int, len(t.Columns))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], columns.Width(c))
		}
	}
	for _, row := range rows {
		line := " "
		for i, c := range row {
			line += " " + c + strings.Repeat(" ", widths[i]-columns.Width(c)+1)
		}
		fmt.Fprintf(b, "%s\n", strings.TrimRight(line, " "))
	}
	if words := plotted(t); words != "" {
		fmt.Fprintf(b, "  (%s)\n", words)
	}
	// What belongs to the table stands further in.
	var steps strings.Builder
	for _, s := range t.Steps {
		shown(&steps, s)
	}
	for line := range strings.Lines(steps.String()) {
		if line != "\n" {
			line = "  " + line
		}
		b.WriteString(line)
	}
}

func tableMarkdown(b *strings.Builder, t plan.Table) {
	fmt.Fprintf(b, "\n### %s: %s\n\n%s\n\n", t.ID, escape(t.Title), eachRow)
	for i, row := range cells(t) {
		for _, c := range row {
			fmt.Fprintf(b, "| %s ", cell(c))
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	if words := plotted(t); words != "" {
		fmt.Fprintf(b, "\n%s\n", escape(words))
	}
	for _, s := range t.Steps {
		step(b, "####", s)
	}
}
