package xyplot

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Sizes of the drawing, in units that are pixels where the page is wide enough.
const (
	// Width is that of the whole drawing.
	Width  = 960
	height = 540

	large  = 19 // letters of labels and legend
	small  = 17 // letters of numbers
	strip  = 36 // over and under the axes, for their labels
	gap    = 28 // between the axes and the legend
	sample = 44 // a line in the legend
	names  = 220
	marker = 6.5
	tick   = 7
)

// style is that of letters.
func style(size vg.Length, p paint) text.Style {
	return text.Style{
		Color:   p.rgb(),
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
	}
}

// SVG draws the plot, for a page that has the classes it uses, all of which begin
// with `xy-`. It has no scripts, styles, colours, ids and addresses of its own; all
// text in it is escaped. Points that the axes do not take are left out; of a plot
// without points it is empty.
func (p Plot) SVG() string {
	p = p.drawable()
	if p.empty() {
		return ""
	}
	canvas := vgsvg.New(Width, height)
	p.draw(draw.New(canvas))
	return inline(canvas, p)
}

func (p Plot) draw(c draw.Canvas) {
	legend, width := p.legend()
	area := draw.Crop(c, 0, -width, strip, -strip)
	pl := p.axes()
	thin := p.thin()
	for i, s := range p.Series {
		if len(s.Points) == 0 {
			continue
		}
		pl.Add(s.line(lookOf(i), thin), s.markers(lookOf(i), thin))
	}
	pl.Draw(area)

	data := pl.DataCanvas(area)
	label := style(large, ink)
	label.YAlign = text.YBottom
	c.FillText(label, vg.Point{X: 0, Y: c.Max.Y - strip + 10}, fit(label, p.Y.Label, area.Max.X))
	label.XAlign = text.XCenter
	name := fit(label, p.X.Label, data.Max.X-data.Min.X)
	c.FillText(label, vg.Point{X: data.Center().X, Y: 4}, name)
	if width > 0 {
		// Beside the data, never on them.
		legend.Draw(draw.Crop(c, area.Max.X+gap, 0, 0, -strip))
	}
}

// axes is the empty plot.
func (p Plot) axes() *plot.Plot {
	pl := plot.New()
	pl.BackgroundColor = nil
	least, most := p.bounds()
	for _, a := range []struct {
		to   *plot.Axis
		from Axis
		s    scale
	}{{&pl.X, p.X, scaleOf(p.X, least.X, most.X)}, {&pl.Y, p.Y, scaleOf(p.Y, least.Y, most.Y)}} {
		a.to.Min, a.to.Max, a.to.Padding = a.s.min, a.s.max, tick+2
		if a.from.Log {
			a.to.Scale = plot.LogScale{}
		}
		a.to.Tick.Marker = plot.ConstantTicks(a.s.marks)
		was := a.to.Tick.Label
		a.to.Tick.Label = style(small, soft)
		a.to.Tick.Label.XAlign, a.to.Tick.Label.YAlign = was.XAlign, was.YAlign
		// The library would draw the lines apart from the grid: frame does.
		a.to.LineStyle.Width, a.to.Tick.LineStyle.Width = 0, 0
	}
	pl.X.Padding += 4
	pl.Y.Tick.Label.YAlign = -.6 // digits have nothing below the line
	grid := plotter.NewGrid()
	grid.Vertical = draw.LineStyle{Color: rule.rgb(), Width: 1}
	grid.Horizontal = grid.Vertical
	pl.Add(grid, frame{})
	return pl
}

// frame is the two axes, where the data begin, with their marks.
type frame struct{}

// Plot draws it.
func (frame) Plot(data draw.Canvas, pl *plot.Plot) {
	style := draw.LineStyle{Color: soft.rgb(), Width: 1.5}
	data.StrokeLine2(style, data.Min.X, data.Min.Y, data.Max.X, data.Min.Y)
	data.StrokeLine2(style, data.Min.X, data.Min.Y, data.Min.X, data.Max.Y)
	long := func(t plot.Tick) vg.Length {
		if t.IsMinor() {
			return tick / 2
		}
		return tick
	}
	for _, t := range pl.X.Tick.Marker.Ticks(pl.X.Min, pl.X.Max) {
		x := data.X(pl.X.Norm(t.Value))
		data.StrokeLine2(style, x, data.Min.Y, x, data.Min.Y-long(t))
	}
	for _, t := range pl.Y.Tick.Marker.Ticks(pl.Y.Min, pl.Y.Max) {
		y := data.Y(pl.Y.Norm(t.Value))
		data.StrokeLine2(style, data.Min.X, y, data.Min.X-long(t), y)
	}
}

// bounds are the smallest and the largest values.
func (p Plot) bounds() (least, most Point) {
	least, most = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, s := range p.Series {
		for _, at := range s.Points {
			least.X, least.Y = min(least.X, at.X), min(least.Y, at.Y)
			most.X, most.Y = max(most.X, at.X), max(most.Y, at.Y)
		}
	}
	return least, most
}

// legend is empty, and takes no room, if there is nothing to tell apart.
func (p Plot) legend() (legend plot.Legend, width vg.Length) {
	legend = plot.NewLegend()
	legend.Top, legend.Left = true, true
	legend.TextStyle = style(large, ink)
	legend.ThumbnailWidth, legend.Padding = sample, 10
	if len(p.Series) == 1 && p.Series[0].Name == "" {
		return legend, 0
	}
	thin := p.thin()
	for i, s := range p.Series {
		if len(s.Points) == 0 {
			continue
		}
		name := fit(legend.TextStyle, s.Name, names)
		width = max(width, legend.TextStyle.Width(name))
		legend.Add(name, s.line(lookOf(i), thin), s.markers(lookOf(i), thin))
	}
	return legend, gap + sample + legend.TextStyle.Width(" ") + width + 2
}

// xys gives the points to the library that draws them.
func (s Series) xys() plotter.XYs {
	var all plotter.XYs
	for _, at := range s.Points {
		all = append(all, plotter.XY(at))
	}
	return all
}

func (s Series) line(l look, thin vg.Length) *plotter.Line {
	return &plotter.Line{XYs: s.xys(), LineStyle: draw.LineStyle{Color: l.paint.rgb(), Width: 3 * max(.6, thin), Dashes: l.dashes}}
}

func (s Series) markers(l look, thin vg.Length) *plotter.Scatter {
	return &plotter.Scatter{XYs: s.xys(), GlyphStyle: draw.GlyphStyle{Color: l.paint.rgb(), Radius: marker * max(.4, thin), Shape: l.marker}}
}

// roomy is how many points of a line stand apart at full size.
const roomy = 40

// thin is by how much lines are drawn thinner so that the points of each stand
// apart; 1 for a few of them.
func (p Plot) thin() vg.Length {
	most := 1
	for _, s := range p.Series {
		most = max(most, len(s.Points))
	}
	return min(1, roomy/vg.Length(most))
}

// fit cuts text that is wider than there is room.
func fit(s text.Style, words string, room vg.Length) string {
	if s.Width(words) <= room {
		return words
	}
	letters := []rune(words)
	letters = letters[:min(len(letters), Width)] // no letter is that thin
	for len(letters) > 0 && s.Width(string(letters)+"…") > room {
		letters = letters[:len(letters)-1]
	}
	return string(letters) + "…"
}
