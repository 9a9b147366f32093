package plan

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a diff shows: this many lines around each difference, of so many
// characters, and so many in all.
const (
	diffContext = 2
	diffWidth   = 160
	diffRows    = 24
	// diffCells limits the work: expected lines times lines that came.
	diffCells = 1 << 20
)

// row is one line of a diff: ' ', '-' (expected) or '+' (came).
type row struct {
	sign byte
	text string
}

// diffLines shows how lines differ from expected ones, invisible characters
// made visible.
func diffLines(all []matcher, lines []string) string {
	units := unfold(all)
	skipped := 0
	// The beginning that fits needs no comparing.
	for len(units) > 0 && len(lines) > 0 && !units[0].optional && units[0].matches(lines[0]) && len(units)*len(lines) > diffCells {
		units, lines, skipped = units[1:], lines[1:], skipped+1
	}
	cut := 0
	if most := diffCells / (len(units) + 1); len(lines) > most {
		lines, cut = lines[:most], len(lines)-most
	}
	rows := render(align(units, lines))
	if skipped > 0 {
		rows = append([]string{fmt.Sprintf("  … (%d lines)", skipped)}, rows...)
	}
	if cut > 0 {
		rows = append(rows, fmt.Sprintf("  … (%d more lines came)", cut))
	}
	return strings.Join(rows, "\n")
}

// align finds the fewest lines to take away and to add.
func align(units []unit, lines []string) []row {
	width := len(lines) + 1
	cost := make([]int, (len(units)+1)*width)
	at := func(i, j int) *int { return &cost[i*width+j] }
	// cost(i, j) is that of what is left behind unit i and line j.
	for i := len(units); i >= 0; i-- {
		for j := len(lines); j >= 0; j-- {
			c := at(i, j)
			switch {
			case i == len(units):
				*c = len(lines) - j
				continue
			case units[i].optional:
				*c = *at(i+1, j)
			default:
				*c = *at(i+1, j) + 1
			}
			if j < len(lines) {
				*c = min(*c, *at(i, j+1)+1)
				if units[i].matches(lines[j]) {
					*c = min(*c, *at(units[i].next(i), j+1))
				}
			}
		}
	}
	var rows []row
	for i, j := 0, 0; i < len(units) || j < len(lines); {
		c := *at(i, j)
		switch {
		case i < len(units) && j < len(lines) && units[i].matches(lines[j]) && c == *at(units[i].next(i), j+1):
			rows = append(rows, row{' ', visible(lines[j])})
			i, j = units[i].next(i), j+1
		case i < len(units) && units[i].optional && c == *at(i+1, j):
			i++
		case i < len(units) && !units[i].optional && c == *at(i+1, j)+1:
			rows = append(rows, row{'-', units[i].words})
			i++
		default:
			rows = append(rows, row{'+', visible(lines[j])})
			j++
		}
	}
	return rows
}

// next is the unit behind i once it has taken a line.
func (u unit) next(i int) int {
	if u.loop {
		return i
	}
	return i + 1
}

// render leaves out what is far from any difference, and what is too much.
func render(rows []row) []string {
	near := make([]bool, len(rows))
	for i, r := range rows {
		if r.sign != ' ' {
			for k := max(0, i-diffContext); k < min(len(rows), i+diffContext+1); k++ {
				near[k] = true
			}
		}
	}
	var out []string
	hidden := 0
	flush := func() {
		if hidden > 0 {
			out = append(out, fmt.Sprintf("  … (%d lines)", hidden))
			hidden = 0
		}
	}
	for i, r := range rows {
		if !near[i] {
			hidden++
			continue
		}
		flush()
		if len(out) >= diffRows {
			hidden = len(rows) - i
			break
		}
		out = append(out, string(r.sign)+" "+clip(r.text))
	}
	flush()
	return out
}

func clip(text string) string {
	if utf8.RuneCountInString(text) <= diffWidth {
		return text
	}
	runes := []rune(text)
	return fmt.Sprintf("%s… (%d more characters)", string(runes[:diffWidth]), len(runes)-diffWidth)
}

// visible shows what the eye does not see: blanks at a line's end as ·, tabs and
// other characters without a shape of their own as Go writes them.
func visible(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		bare := strings.TrimRight(line, " ")
		var b strings.Builder
		for _, r := range bare {
			if r == ' ' || unicode.IsPrint(r) {
				b.WriteRune(r)
				continue
			}
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		lines[i] = b.String() + strings.Repeat("·", len(line)-len(bare))
	}
	return strings.Join(lines, "\n")
}
