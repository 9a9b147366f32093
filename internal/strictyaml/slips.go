package strictyaml

import (
	"fmt"
	"slices"
	"strings"
)

// maxSlips is how many slips an Error tells; a person mends a screenful at a
// time, and what follows is often a consequence.
const maxSlips = 10

// Slip is one thing that is wrong in a file.
type Slip struct {
	Pos  Pos
	Text string
}

// String returns file:line:column and what is wrong.
func (s Slip) String() string { return s.Pos.String() + ": " + s.Text }

// Error is everything that is wrong in a file.
type Error struct {
	// Slips in the order of the file, the first ten of them.
	Slips []Slip
	// More counts those left out.
	More int
}

// Error returns one line per slip.
func (e *Error) Error() string {
	lines := make([]string, 0, len(e.Slips)+1)
	for _, s := range e.Slips {
		lines = append(lines, s.String())
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(lines, "\n")
}

// Slips collects what is wrong in a file, in any order. The zero value is
// ready.
type Slips struct{ list []Slip }

// Addf notes one slip.
func (s *Slips) Addf(pos Pos, format string, args ...any) {
	s.list = append(s.list, Slip{Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// Adopt adds those of other slips in whose place there is none yet.
func (s *Slips) Adopt(other Slips) {
	taken := map[Pos]bool{}
	for _, slip := range s.list {
		taken[slip.Pos] = true
	}
	for _, slip := range other.list {
		if !taken[slip.Pos] {
			s.list = append(s.list, slip)
		}
	}
}

// Len returns how many slips there are.
func (s *Slips) Len() int { return len(s.list) }

// Err returns an *Error, or nil if there is no slip.
func (s *Slips) Err() error {
	if len(s.list) == 0 {
		return nil
	}
	list := slices.Clone(s.list)
	slices.SortStableFunc(list, func(a, b Slip) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Column - b.Pos.Column
	})
	kept := min(len(list), maxSlips)
	return &Error{Slips: list[:kept], More: len(list) - kept}
}
