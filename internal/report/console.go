package report

import (
	"fmt"
	"io"
	"strings"

	"labctl/internal/columns"
	"labctl/internal/journal"
)

// Console writes the summary that ends a run on a terminal, or in a log: plain
// text of at most 120 columns. Claims have one line each; Claims has them whole.
func Console(w io.Writer, r journal.Result) {
	fmt.Fprintf(w, "lab %s: %s\n", line(lab(r), 60), visible(r.Outcome()))
	for _, t := range troubles(r) {
		paragraph(w, "error: ", t)
	}
	if r.Hint != "" {
		paragraph(w, "hint: ", r.Hint)
	}
	if emulated(r) {
		paragraph(w, "", noTime)
	}
	if r.Drill != nil {
		consoleDrill(w, *r.Drill)
	}
	for _, t := range r.Tables {
		consoleTable(w, t)
	}
	if len(r.Tables) > 0 && len(r.Claims) == 0 {
		fmt.Fprintln(w)
	}
	if len(r.Claims) > 0 {
		fmt.Fprintln(w)
		var rows [][]string
		for _, c := range r.Claims {
			rows = append(rows, []string{line(c.ID, 12), line(c.Where, 30), line(string(c.Outcome()), 16), c.Showed})
		}
		oneLine(rows)
		table(w, rows)
		fmt.Fprintln(w)
		paragraph(w, "", inWords("claim", claimCounts(r.Claims)))
	}
	if len(r.Plans) > 0 {
		paragraph(w, "", inWords("step", stepCounts(own(r.Plans))))
	}
	for _, s := range unwellOf(own(r.Plans)) {
		paragraph(w, fmt.Sprintf("  %s %s: ", line(s.Outcome(), 20), line(s.ID, 60)), why(s))
	}
	if r.Led != nil {
		paragraph(w, "instructor: ", ledLine(r))
	}
	for _, l := range restoreLines(r.Restore) {
		paragraph(w, "", l)
	}
}

// oneLine cuts the last column so that no row takes more than one line.
func oneLine(rows [][]string) {
	last := len(rows[0]) - 1
	left := screen
	for i := range last {
		widest := 0
		for _, cells := range rows {
			widest = max(widest, columns.Width(cells[i]))
		}
		left -= widest + gap
	}
	for _, cells := range rows {
		cells[last] = line(cells[last], left)
	}
}

// Claims writes all claims whole, wrapped to 120 columns: where each stands,
// what it says, what the cluster showed, the verdict, and the step that shows it.
func Claims(w io.Writer, r journal.Result) {
	if len(r.Claims) == 0 {
		fmt.Fprintf(w, "lab %s makes no claims\n", line(lab(r), 60))
		return
	}
	rows := [][]string{{"CLAIM", "WHERE", "SAYS", "SHOWED", "VERDICT", "STEP"}}
	for _, c := range r.Claims {
		showed := c.Showed
		if c.Because != "" {
			showed = strings.TrimSpace(line(showed, 600) + " (" + c.Because + ")")
		}
		rows = append(rows, []string{c.ID, c.Where, c.Text, showed, string(c.Outcome()), c.Step})
	}
	table(w, rows)
	fmt.Fprintln(w)
	paragraph(w, "", inWords("claim", claimCounts(r.Claims)))
}

// paragraph writes text wrapped to the screen, its further lines indented.
func paragraph(w io.Writer, prefix, text string) {
	indent := strings.Repeat(" ", len(prefix)-len(strings.TrimLeft(prefix, " "))+2)
	for i, l := range columns.Wrap(prefix+line(text, 2000), screen-len(indent)) {
		if i > 0 {
			l = indent + l
		} else if len(indent) > 2 {
			l = indent[2:] + l
		}
		fmt.Fprintln(w, l)
	}
}
