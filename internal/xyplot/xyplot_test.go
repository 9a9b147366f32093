package xyplot

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

func series(name string, xy ...float64) Series {
	s := Series{Name: name}
	for i := 0; i < len(xy); i += 2 {
		s.Points = append(s.Points, Point{xy[i], xy[i+1]})
	}
	return s
}

// lookup is a plot as labs have them.
func lookup() Plot {
	return Plot{
		Title: "Time per new connection",
		X:     Axis{"Services", true},
		Y:     Axis{"Time per new connection, µs", true},
		Series: []Series{
			series("iptables", 1, 70, 10, 74, 100, 96, 1000, 310, 5000, 1290, 10000, 2710),
			series("ipvs", 1, 81, 10, 80, 100, 83, 1000, 82, 5000, 85, 10000, 88),
			series("nftables", 1, 66, 10, 69, 100, 67, 1000, 71, 5000, 70, 10000, 74),
		},
	}
}

// dense is a line of many points.
func dense(name string, n int, base float64) Series {
	s := Series{Name: name}
	for i := range n {
		s.Points = append(s.Points, Point{float64(i * 200 / n), base + float64(i*7%11)})
	}
	return s
}

const nasty = "</text></title></svg><script>alert('\"x\"')</script> style=\"fill:#FFFFFF\" &amp; \x00\x1b[31m \u202e line\nbreak \xff 漢字"

func plots() map[string]Plot {
	many := Plot{Title: "Many", X: Axis{Label: "Round"}, Y: Axis{Label: "Seconds"}}
	for i := range 12 {
		f := float64(i)
		many.Series = append(many.Series, series("line "+string(rune('a'+i)), 0, 20-f, 1, 21-f, 2, 19-1.5*f, 3, 22-f))
	}
	return map[string]Plot{
		"lookup": lookup(),
		"linear": {Title: "One line", X: Axis{Label: "Rules"}, Y: Axis{Label: "ms"}, Series: []Series{series("", 40, 12.5, 10, 3.1, 20, 6.2, 30, 9.9)}},
		"one":    {Title: "One point", X: Axis{Label: "n"}, Y: Axis{Label: "m", Log: true}, Series: []Series{series("a", 5, 5)}},
		"below":  {Title: "Below zero", X: Axis{Label: "Step"}, Y: Axis{Label: "Offset"}, Series: []Series{series("a", -2, -1500, -1, 20, 0, 12000)}},
		"many":   many,
		"dense":  {Title: "Dense", X: Axis{Label: "Night"}, Y: Axis{Label: "Seconds"}, Series: []Series{dense("a", 200, 30), dense("b", 20, 50)}},
		"nasty": {Title: nasty, X: Axis{Label: strings.Repeat(nasty, 20)}, Y: Axis{Label: strings.Repeat(nasty, 20), Log: true}, Series: []Series{
			series(nasty, 1, 1), series(strings.Repeat("W", 1000), 2, 1e9),
		}},
	}
}

func TestGolden(t *testing.T) {
	for name, p := range plots() {
		t.Run(name, func(t *testing.T) {
			path := "testdata/" + name + ".svg"
			got := p.SVG()
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
			assert.Equal(t, got, p.SVG(), "it is the same each time")
		})
	}
}

// What the page gets has nothing that its policy forbids or that could clash with
// something else in it.
func TestFitForAPage(t *testing.T) {
	class := regexp.MustCompile(`^xy-(fill|stroke) xy-(ink|soft|rule|[0-5])$`)
	for name, p := range plots() {
		t.Run(name, func(t *testing.T) {
			svg := p.SVG()
			assert.True(t, strings.HasPrefix(svg, "<svg "))
			d := xml.NewDecoder(strings.NewReader(svg))
			for {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				var start xml.StartElement
				switch token := token.(type) {
				case xml.ProcInst, xml.Comment, xml.Directive:
					t.Errorf("it has %v", token)
					continue
				case xml.StartElement:
					start = token
				default:
					continue
				}
				classes := 0
				assert.Contains(t, []string{"svg", "title", "g", "path", "text"}, start.Name.Local)
				for _, a := range start.Attr {
					assert.Contains(t, []string{
						"xmlns", "role", "width", "height", "viewBox", "aria-label", "transform", "class", "d", "x", "y",
						"font-size", "textLength", "lengthAdjust", "stroke-width", "stroke-dasharray",
					}, a.Name.Local)
					if a.Name.Local == "class" {
						classes++
						assert.Regexp(t, class, a.Value)
					}
				}
				if start.Name.Local == "path" || start.Name.Local == "text" {
					assert.Equal(t, 1, classes, "it has the page's colours")
				}
			}
		})
	}
}

func TestWithoutPoints(t *testing.T) {
	assert.Empty(t, Plot{}.SVG())
	assert.Empty(t, Plot{X: Axis{Log: true}, Series: []Series{series("a", 0, 1, -1, 2, math.NaN(), 1, math.Inf(1), 1, 1e16, 1, 1e-16, 1)}}.SVG())
}

// Points that have no place are left out, and the others are drawn as without them.
func TestLeavesOut(t *testing.T) {
	p := lookup()
	want := p.SVG()
	p.Series[1].Points = append([]Point{{0, 1}, {1, -1}, {math.NaN(), 1}, {1, math.Inf(1)}}, p.Series[1].Points...)
	p.Series = append(p.Series, series("gone", 0, 1))
	assert.Equal(t, want, p.SVG())
	p.Series[1].Points = nil
	assert.Contains(t, p.SVG(), "xy-2", "the others keep their colours")
	assert.NotContains(t, p.SVG(), "xy-1")
	assert.NotContains(t, p.SVG(), "ipvs")
}

// Whatever the numbers are, each point is drawn, and within the drawing.
func TestExtremes(t *testing.T) {
	numbers := []float64{-Largest, -1, -1 / Largest, 0, 1 / Largest, 1, 1 + 1e-12, 3, Largest}
	at := regexp.MustCompile(`[-\d.e+]+,[-\d.e+]+`)
	for _, log := range []bool{false, true} {
		a := Axis{Label: "n", Log: log}
		for i, from := range numbers {
			for _, to := range numbers[i:] {
				if !a.Takes(from) {
					continue
				}
				svg := Plot{X: a, Y: a, Series: []Series{series("s", from, to, to, from)}}.SVG()
				assert.NotContains(t, svg, "NaN")
				assert.NotContains(t, svg, "Inf")
				for _, pair := range at.FindAllString(svg, -1) {
					var x, y float64
					_, err := fmt.Sscanf(pair, "%g,%g", &x, &y)
					require.NoError(t, err, pair)
					assert.True(t, x >= 0 && x <= Width && y >= 0 && y <= height, "%g to %g: %s", from, to, pair)
				}
			}
		}
	}
}

func TestFromLeftToRight(t *testing.T) {
	p := lookup()
	want := p.SVG()
	points := p.Series[0].Points
	points[0], points[3] = points[3], points[0]
	assert.Equal(t, want, p.SVG())
	assert.InDelta(t, 1000, points[0].X, 0, "the caller's are as they were")
}

func TestLabel(t *testing.T) {
	assert.Equal(t, "Time per new connection. Time per new connection, µs, logarithmic, over Services, logarithmic. iptables: 6 points. ipvs: 6 points. nftables: 6 points.", lookup().label())
	assert.Equal(t, "One line. ms, over Rules. 4 points.", plots()["linear"].label())
	assert.Contains(t, plots()["one"].label(), "a: 1 point.")
}

// No two series look the same, and none differ by their colour alone.
func TestLooksDiffer(t *testing.T) {
	type how struct {
		paint  paint
		dashed bool
	}
	type shape struct {
		marker string
		dashed bool
	}
	hows, shapes := map[how]bool{}, map[shape]bool{}
	for i := range 2 * colours {
		l := lookOf(i)
		hows[how{l.paint, l.dashes != nil}] = true
		shapes[shape{fmt.Sprint(l.marker), l.dashes != nil}] = true
	}
	assert.Len(t, hows, 2*colours)
	assert.Len(t, shapes, 2*colours)
}
