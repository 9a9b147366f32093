package plan

import "strings"

// findAnyOrder judges lines whatever their order: each line has a place among
// the expected ones, and each expected one comes as often as it must. The two
// can be looked at apart: if there is an assignment for the one and another for
// the other, there is one for both (Mendelsohn and Dulmage, 1958).
func findAnyOrder(text string, items []Line, v *values) finding {
	all := matchers(items, v)
	lines := splitLines(text)
	f := finding{want: "is these lines, in any order: " + listed(all)}
	missing, extra := unfilled(all, lines), unplaced(all, lines)
	f.holds = len(missing) == 0 && len(extra) == 0
	if f.holds {
		return f
	}
	rows := make([]row, 0, len(missing)+len(extra))
	for _, m := range missing {
		rows = append(rows, row{'-', m.words})
	}
	for _, line := range extra {
		rows = append(rows, row{'+', visible(line)})
	}
	f.got = strings.Join(render(rows), "\n")
	return f
}

// unplaced returns the lines that have no place, where each expected line takes
// at most its max.
func unplaced(all []matcher, lines []string) []string {
	taken := make([][]string, len(all))
	var place func(line string, seen []bool) bool
	place = func(line string, seen []bool) bool {
		var full []int
		for i, m := range all {
			if seen[i] || !m.matches(line) {
				continue
			}
			if m.max < 0 || len(taken[i]) < m.max {
				taken[i] = append(taken[i], line)
				return true
			}
			full = append(full, i)
		}
		for _, i := range full {
			if seen[i] {
				continue
			}
			seen[i] = true
			for n, other := range taken[i] {
				if place(other, seen) {
					taken[i][n] = line
					return true
				}
			}
		}
		return false
	}
	var left []string
	for _, line := range lines {
		if !place(line, make([]bool, len(all))) {
			left = append(left, line)
		}
	}
	return left
}

// unfilled returns the expected lines that do not come as often as they must.
func unfilled(all []matcher, lines []string) []matcher {
	owner := make([]int, len(lines)) // expected line + 1
	var fill func(i int, seen []bool) bool
	fill = func(i int, seen []bool) bool {
		for n, line := range lines {
			if seen[n] || !all[i].matches(line) {
				continue
			}
			seen[n] = true
			if owner[n] == 0 || fill(owner[n]-1, seen) {
				owner[n] = i + 1
				return true
			}
		}
		return false
	}
	var left []matcher
	for i, m := range all {
		for range m.min {
			if !fill(i, make([]bool, len(lines))) {
				left = append(left, m)
				break
			}
		}
	}
	return left
}
