package report

import (
	"cmp"
	"fmt"
	"slices"

	"labctl/internal/compare"
	"labctl/internal/plan"
)

// maxGridRuns is how many runs the grid has, the newest: a column each, and as
// many as a wide screen takes.
const maxGridRuns = 60

// historyGrid is claims by runs.
type historyGrid struct {
	Groups []gridGroup
	// Changed are claims whose verdict is not the same in all runs of the grid,
	// Same the others.
	Changed, Same []gridRow
	// Left says which runs are not in it.
	Left    string
	Legend  []gridVerdict
	Columns int
}

// gridGroup are runs on the same Kubernetes, kernel and accelerator.
type gridGroup struct {
	Letter, Name string
	Runs         []historyLink
}

type gridRow struct {
	ID, Text string
	Cells    []gridCell
}

// gridCell is a verdict; empty where the run does not know the claim. First says
// that a group begins.
type gridCell struct {
	Verdict, Letter string
	First           bool
}

type gridVerdict struct{ Verdict, Letter string }

func newHistoryGrid(h compare.History, link func(int) historyLink) historyGrid {
	var g historyGrid
	var shown []compare.Line
	for _, l := range slices.Backward(h.Runs) {
		if len(l.Counts) > 0 && ofTheLab(l) && len(shown) < maxGridRuns {
			shown = append(shown, l)
		}
	}
	slices.Reverse(shown)
	if out := len(h.Runs) - len(shown); out > 0 {
		g.Left = fmt.Sprintf("Not in the grid: %s that %s older, a drill, sabotage, led by an instructor, or without claims.", plural(out, "run"), verb(out, "is", "are"))
	}
	// Runs on one machine stand together, and their Kubernetes one after another.
	series := func(l compare.Line) int {
		return slices.IndexFunc(h.Series, func(s compare.Series) bool { return s.Kernel == l.Kernel && s.Accelerator == l.Accelerator })
	}
	slices.SortStableFunc(shown, func(a, b compare.Line) int { return cmp.Compare(series(a), series(b)) })
	type key struct{ kubernetes, kernel, accelerator string }
	at := map[key]int{}
	for _, l := range shown {
		k := key{l.Kubernetes, l.Kernel, l.Accelerator}
		i, known := at[k]
		if !known {
			i = len(g.Groups)
			at[k] = i
			g.Groups = append(g.Groups, gridGroup{Letter: groupLetter(i), Name: joined(l.Kubernetes, l.Kernel, l.Accelerator)})
		}
		g.Groups[i].Runs = append(g.Groups[i].Runs, link(l.Number))
		g.Columns++
	}
	seen := map[string]bool{}
	for _, c := range h.Claims {
		row := gridRow{ID: c.ID, Text: c.Text}
		words := map[string]bool{}
		for _, group := range g.Groups {
			for i, run := range group.Runs {
				v, has := c.Verdicts[run.Number]
				cell := gridCell{First: i == 0}
				if has {
					cell.Verdict, cell.Letter = string(v), letter(v)
					seen[cell.Verdict] = true
					if v != plan.NotJudged {
						words[cell.Verdict] = true
					}
				}
				row.Cells = append(row.Cells, cell)
			}
		}
		if len(words) > 1 {
			g.Changed = append(g.Changed, row)
		} else if len(row.Cells) > 0 {
			g.Same = append(g.Same, row)
		}
	}
	for _, v := range claimOrder {
		if seen[v] {
			g.Legend = append(g.Legend, gridVerdict{v, letter(plan.ClaimVerdict(v))})
		}
	}
	return g
}

// groupLetter is A to Z, then A1 and so on.
func groupLetter(i int) string {
	name := string(rune('A' + i%26))
	if i >= 26 {
		name += fmt.Sprint(i / 26)
	}
	return name
}

// joined are the words that there are.
func joined(words ...string) string {
	all := ""
	for _, w := range words {
		if w != "" && all != "" {
			all += " · "
		}
		all += w
	}
	return cmp.Or(all, "unknown hosts")
}
