package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"labctl/internal/columns"
)

// screen is how many columns plain text takes: what fits on a projector, and
// into the log of a CI system.
const screen = 120

// table writes rows in columns, each cell wrapped to its column's width, within
// screen columns and without borders. Narrow columns keep the width they need;
// wide ones share what is left.
func table(w io.Writer, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	for _, cells := range rows {
		for i := range cells {
			cells[i] = line(cells[i], 1000)
		}
	}
	widths := fit(rows)
	wrapped := make([][][]string, len(rows))
	tall := false // a row of several lines needs air around it
	for i, cells := range rows {
		wrapped[i] = make([][]string, len(cells))
		for j, c := range cells {
			wrapped[i][j] = columns.Wrap(c, widths[j])
			tall = tall || len(wrapped[i][j]) > 1
		}
	}
	for i, cells := range wrapped {
		if i > 0 && tall {
			fmt.Fprintln(w)
		}
		height := 0
		for _, lines := range cells {
			height = max(height, len(lines))
		}
		for n := range height {
			var b strings.Builder
			for j, lines := range cells {
				text := ""
				if n < len(lines) {
					text = lines[n]
				}
				b.WriteString(text + strings.Repeat(" ", widths[j]-columns.Width(text)+gap))
			}
			fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
		}
	}
}

// compact writes rows in columns as table does, each on one line: where the
// screen is too narrow, cells are cut.
func compact(w io.Writer, rows [][]string) {
	for _, cells := range rows {
		for i := range cells {
			cells[i] = line(cells[i], screen)
		}
	}
	widths := fit(rows)
	for _, cells := range rows {
		var b strings.Builder
		for i, c := range cells {
			c = line(c, widths[i])
			b.WriteString(c + strings.Repeat(" ", widths[i]-columns.Width(c)+gap))
		}
		fmt.Fprintln(w, strings.TrimRight(columns.Cut(strings.TrimRight(b.String(), " "), screen), " "))
	}
}

// gap is the blanks between two columns.
const gap = 2

// fit gives each column a width. The narrowest are served first: each gets what
// it needs, or an equal share of what is left.
func fit(rows [][]string) []int {
	n := len(rows[0])
	need := make([]int, n)
	for _, cells := range rows {
		for i, c := range cells {
			need[i] = max(need[i], columns.Width(c))
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return need[a] - need[b] })
	left := screen - gap*(n-1)
	widths := make([]int, n)
	for i, column := range order {
		widths[column] = min(need[column], max(2, left/(n-i)))
		left -= widths[column]
	}
	return widths
}
