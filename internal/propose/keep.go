package propose

import (
	"labctl/internal/plan"
	"labctl/internal/strictyaml"
)

// keep changes a list of expected lines: items that still fit stay as they are
// written, others give way to what came. False if that cannot be.
func (e *edit) keep(item strictyaml.Node, name string, t *plan.Text, outputs []output) bool {
	key, expected := "lines", t.Lines
	if t.AnyOrder != nil {
		key, expected = "anyOrder", t.AnyOrder
	}
	list, ok := get(item, name, key)
	if !ok {
		return false
	}
	came := texts(name, outputs)
	lines, ok := unify(came, e.variables)
	if !ok || len(lines) == 0 || len(lines) > MaxLines {
		return false
	}
	fits := fitting(expected, came)
	var kept []taken
	if key == "lines" {
		kept = inOrder(expected, fits, len(lines))
	} else {
		kept = anyOrder(expected, fits, len(lines))
	}
	if list.Flow() {
		e.rewrite(list, kept, lines)
	} else {
		splice(list, kept, lines)
	}
	return true
}

// taken says which line an expected one stands for: item -1 for a line that none
// stands for, line -1 for an item that stands for none.
type taken struct{ item, line int }

// fitting tells of each item and each line whether they fit, in all texts.
func fitting(expected []plan.Line, came []text) [][]bool {
	fits := make([][]bool, len(expected))
	for i, item := range expected {
		fits[i] = make([]bool, len(came[0].lines))
		for j := range fits[i] {
			fits[i][j] = true
			for _, t := range came {
				ok, err := item.Fits(t.lines[j], t.vars)
				fits[i][j] = fits[i][j] && ok && err == nil
			}
		}
	}
	return fits
}

// inOrder finds which items to keep so that the fewest are lost and the fewest
// lines are new.
func inOrder(expected []plan.Line, fits [][]bool, n int) []taken {
	m := len(expected)
	cost := make([][]int, m+1)
	step := make([][]int, m+1) // 0: the line is new; -1: the item is lost; k: it takes k lines
	for i := m; i >= 0; i-- {
		cost[i], step[i] = make([]int, n+1), make([]int, n+1)
		for j := n; j >= 0; j-- {
			switch {
			case i == m:
				cost[i][j] = n - j
				continue
			case expected[i].Min == 0:
				cost[i][j], step[i][j] = cost[i+1][j], -1
			default:
				cost[i][j], step[i][j] = cost[i+1][j]+1, -1
			}
			if j < n && cost[i][j+1]+1 < cost[i][j] {
				cost[i][j], step[i][j] = cost[i][j+1]+1, 0
			}
			for k := 1; j+k <= n && fits[i][j+k-1] && (expected[i].Max < 0 || k <= expected[i].Max); k++ {
				if k >= expected[i].Min && cost[i+1][j+k] < cost[i][j] {
					cost[i][j], step[i][j] = cost[i+1][j+k], k
				}
			}
		}
	}
	var all []taken
	for i, j := 0, 0; i < m || j < n; {
		switch {
		case i == m || step[i][j] == 0:
			all = append(all, taken{-1, j})
			j++
		case step[i][j] < 0:
			if expected[i].Min == 0 {
				all = append(all, taken{i, j}) // it need not come
			} else {
				all = append(all, taken{i, -1})
			}
			i++
		default:
			all = append(all, taken{i, j})
			j += step[i][j]
			i++
		}
	}
	return all
}

// anyOrder keeps each item that fits lines which no item before it has taken.
func anyOrder(expected []plan.Line, fits [][]bool, n int) []taken {
	var all []taken
	gone := make([]bool, n)
	for i, item := range expected {
		var own []int
		for j := range n {
			if fits[i][j] && !gone[j] && (item.Max < 0 || len(own) < item.Max) {
				own = append(own, j)
			}
		}
		if len(own) < item.Min {
			all = append(all, taken{i, -1})
			continue
		}
		for _, j := range own {
			gone[j] = true
		}
		all = append(all, taken{i, 0})
	}
	for j := range n {
		if !gone[j] {
			all = append(all, taken{-1, j})
		}
	}
	return all
}

// splice edits a list item by item. What is new takes the place of what is lost
// next to it, so that a comment above stays where it was.
func splice(list strictyaml.Node, all []taken, lines []line) {
	behind := 0 // the item before which what is new goes
	for at := 0; at < len(all); {
		if all[at].item >= 0 && all[at].line >= 0 {
			behind = all[at].item + 1
			at++
			continue
		}
		var lost, fresh []int
		for ; at < len(all) && (all[at].item < 0 || all[at].line < 0); at++ {
			if all[at].item < 0 {
				fresh = append(fresh, all[at].line)
			} else {
				lost = append(lost, all[at].item)
				behind = all[at].item + 1
			}
		}
		both := min(len(lost), len(fresh))
		for k := range both {
			list.Items()[lost[k]].Replace(lines[fresh[k]].value())
		}
		for _, i := range lost[both:] {
			list.Remove(i)
		}
		for _, j := range fresh[both:] {
			list.Insert(behind, lines[j].value())
		}
	}
}

// rewrite writes a list in brackets anew, what is kept as it was written.
func (e *edit) rewrite(list strictyaml.Node, all []taken, lines []line) {
	items := list.Items()
	var values strictyaml.List
	for _, t := range all {
		switch {
		case t.item < 0:
			values = append(values, lines[t.line].value())
		case t.line >= 0:
			values = append(values, strictyaml.Plain(items[t.item].Source()))
		}
	}
	list.Replace(values)
}
