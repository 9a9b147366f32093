package xyplot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// paint stands for a class of the page's style: the drawing has no colours of its
// own, so that it is right on paper and in the dark.
type paint uint8

const (
	ink  paint = 1
	soft paint = 2
	rule paint = 3
	// The series' own begin here.
	first paint = 16
)

// colours is how many of their own the series have.
const colours = 6

func (p paint) rgb() color.Color { return color.RGBA{R: uint8(p), A: 255} }

// look is how a series is drawn. Colours come again, with a dash and another marker.
type look struct {
	paint  paint
	marker draw.GlyphDrawer
	dashes []vg.Length
}

func lookOf(i int) look {
	markers := []draw.GlyphDrawer{
		draw.CircleGlyph{},
		polygon{{-.88, -.88}, {.88, -.88}, {.88, .88}, {-.88, .88}},
		polygon{{0, 1.2}, {-1.1, -.75}, {1.1, -.75}},
		polygon{{0, 1.25}, {-1.25, 0}, {0, -1.25}, {1.25, 0}},
		polygon{{0, -1.2}, {1.1, .75}, {-1.1, .75}},
		cross(),
	}
	round := i / colours
	l := look{paint: first + paint(i%colours), marker: markers[(i+3*round)%len(markers)]}
	if round%2 == 1 {
		l.dashes = []vg.Length{8, 5}
	}
	return l
}

// polygon is a marker of these corners, in radii from its middle.
type polygon [][2]float64

// DrawGlyph fills it.
func (p polygon) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var path vg.Path
	for i, corner := range p {
		to := vg.Point{X: at.X + vg.Length(corner[0])*style.Radius, Y: at.Y + vg.Length(corner[1])*style.Radius}
		if i == 0 {
			path.Move(to)
		} else {
			path.Line(to)
		}
	}
	path.Close()
	c.Fill(path)
}

// cross is a thick ×.
func cross() polygon {
	var p polygon
	const arm, half = 1.3, .38
	for quarter := range 4 {
		sin, cos := math.Sincos(math.Pi/4 + float64(quarter)*math.Pi/2)
		for _, corner := range [][2]float64{{arm, -half}, {arm, half}, {half, half}} {
			p = append(p, [2]float64{corner[0]*cos - corner[1]*sin, corner[0]*sin + corner[1]*cos})
		}
	}
	return p
}
