// Package xyplot draws numbers against numbers: lines of points on two axes, as a
// picture for a page. It knows values and labels, not where they are from.
package xyplot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Plot is lines of points on two axes.
type Plot struct {
	// Title says what it shows to those who do not see it. It is not drawn: the
	// page has a place for it.
	Title  string
	X, Y   Axis
	Series []Series
}

// Axis is one of the two.
type Axis struct {
	// Label says what it measures, with the unit.
	Label string
	// Log makes it logarithmic: it takes numbers above 0.
	Log bool
}

// Series is one line. Its points are joined from left to right.
type Series struct {
	// Name stands in the legend. A plot of one series without a name has none.
	Name   string
	Points []Point
}

// Point is one point, in units of the axes.
type Point struct{ X, Y float64 }

// Largest is how far from 0 a number may be to have a place on an axis.
const Largest = 1e15

// Takes tells whether a number has a place on the axis: it is no more than Largest
// away from 0, and 1/Largest at least if the axis is logarithmic.
func (a Axis) Takes(v float64) bool {
	return math.Abs(v) <= Largest && (!a.Log || v >= 1/Largest)
}

// drawable is the plot with the points that it has a place for, from left to right,
// and texts that can be drawn. A series keeps its place, and with it its colour, if
// it has none.
func (p Plot) drawable() Plot {
	all := p.Series
	p.Title, p.X.Label, p.Y.Label, p.Series = plain(p.Title), plain(p.X.Label), plain(p.Y.Label), nil
	for _, s := range all {
		points := slices.DeleteFunc(slices.Clone(s.Points), func(at Point) bool { return !p.X.Takes(at.X) || !p.Y.Takes(at.Y) })
		slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		p.Series = append(p.Series, Series{plain(s.Name), points})
	}
	return p
}

func (p Plot) empty() bool {
	return !slices.ContainsFunc(p.Series, func(s Series) bool { return len(s.Points) > 0 })
}

// label says in words what the drawing shows.
func (p Plot) label() string {
	var b strings.Builder
	if p.Title != "" {
		b.WriteString(strings.TrimSuffix(p.Title, ".") + ". ")
	}
	scale := func(a Axis) string {
		if a.Log {
			return ", logarithmic"
		}
		return ""
	}
	fmt.Fprintf(&b, "%s%s, over %s%s.", p.Y.Label, scale(p.Y), p.X.Label, scale(p.X))
	for _, s := range p.Series {
		points := fmt.Sprintf("%d points", len(s.Points))
		switch len(s.Points) {
		case 0:
			continue
		case 1:
			points = "1 point"
		}
		if s.Name != "" {
			points = s.Name + ": " + points
		}
		b.WriteString(" " + points + ".")
	}
	return b.String()
}

// plain is text on one line, without what no font draws.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}
