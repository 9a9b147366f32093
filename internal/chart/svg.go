package chart

import (
	"fmt"
	"html"
	"strings"
)

// Sizes of the drawing, in units of which 16 are the page's own size of type.
const (
	gutterTCP = 218 // what stands left of the lifelines: kind, time, numbers
	gutterARP = 170 // the same without numbers
	headBoxY  = 6
	headBoxH  = 52
	headH     = 76
	rowH      = 54
	remarkH   = 22
	gapH      = 34
	keyH      = 28
	letter    = 8.0  // of an address
	head      = 10.0 // of a lifeline's name
	capital   = 12.0 // of a flag's name
	leastStep = 200  // between two lifelines
	mostLabel = 46   // letters of an address label
	mostStep  = 420  // wider, nothing is compared at one glance
	unit      = 16.0 // one rem
)

// picture is an SVG in the making.
type picture struct {
	strings.Builder
	chart Chart
	// first is where the first lifeline stands, step how far it is to the next.
	first, step int
	// gutter is what stands left of them.
	gutter, width int
}

func (p *picture) x(line int) int { return p.first + line*p.step }

// add writes markup of our own; what stands for %s is escaped.
func (p *picture) add(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = html.EscapeString(s)
		}
	}
	fmt.Fprintf(p, format, args...)
}

// SVG draws the chart, for a page that has the classes it uses. It has no scripts,
// no styles and no addresses of its own; all text in it is escaped. Of a chart
// without rows it is empty.
func (c Chart) SVG() string {
	if len(c.Rows) == 0 || len(c.Lifelines) < 2 {
		return ""
	}
	p := &picture{chart: c, step: c.stepWidth(), gutter: gutterTCP}
	if c.Rows[0].Times > 0 {
		p.gutter = gutterARP
	}
	last := len(c.Lifelines) - 1
	p.first = p.gutter + c.Lifelines[0].width()/2 + 4
	p.width = p.x(last) + c.Lifelines[last].width()/2 + 4
	height := headH
	for _, r := range c.Rows {
		height += r.height()
	}
	bottom := height
	key := c.key()
	height += 14 + keyH*len(key)
	p.add(`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%grem" height="%grem" viewBox="0 0 %d %d" aria-label="%s">`+"\n<title>%s</title>\n",
		float64(p.width)/unit, float64(height)/unit, p.width, height, c.Label(), c.Title)
	// Bands first: everything else stands on them.
	y := headH
	for _, r := range c.Rows {
		if r.Reset {
			p.add(`<rect class="band" x="0" y="%d" width="%d" height="%d"/>`+"\n", y, p.width, r.height())
		}
		y += r.height()
	}
	p.lifelines(bottom)
	y = headH
	for _, r := range c.Rows {
		p.row(r, y)
		y += r.height()
	}
	for i, k := range key {
		p.key(k, y+14+i*keyH)
	}
	p.WriteString("</svg>\n")
	return p.String()
}

func (r Row) height() int {
	if r.Left > 0 {
		return gapH
	}
	return rowH + remarkH*len(r.Remarks)
}

// stepWidth is wide enough for every label between two lifelines.
func (c Chart) stepWidth() int {
	most := 0
	for _, r := range c.Rows {
		if r.Times > 0 {
			most = max(most, len([]rune(r.Words)))
		}
		for _, s := range r.Segments {
			left, right := c.ends(s)
			most = max(most, len([]rune(left.text))+3+len([]rune(right.text)))
		}
	}
	step := leastStep
	for _, l := range c.Lifelines {
		step = max(step, l.width()+10)
	}
	return min(mostStep, max(step, int(letter*float64(min(most, mostLabel)))+22))
}

// maxName is how many letters of a lifeline's name and detail there is room for.
const maxName = 28

// width is that of the box over a lifeline.
func (l Lifeline) width() int {
	letters := func(text string) float64 { return float64(min(maxName, len([]rune(text)))) }
	return max(104, int(head*letters(l.Name))+28, int(letter*letters(l.Detail))+28)
}

func (p *picture) lifelines(bottom int) {
	for i, l := range p.chart.Lifelines {
		x := p.x(i)
		class := "party"
		if l.Node {
			class = "machine"
		}
		w := l.width()
		p.add(`<line class="life %s" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", class, x, headBoxY+headBoxH, x, bottom)
		radius := 4
		if !l.Node {
			radius = headBoxH / 2
		}
		p.add(`<rect class="box %s" x="%d" y="%d" width="%d" height="%d" rx="%d"/>`+"\n", class, x-w/2, headBoxY, w, headBoxH, radius)
		y := headBoxY + 32
		if l.Detail != "" {
			y = headBoxY + 22
			p.add(`<text class="detail mid" x="%d" y="%d">%s</text>`+"\n", x, y+20, middle(l.Detail, maxName))
		}
		p.add(`<text class="name mid" x="%d" y="%d">%s</text>`+"\n", x, y, middle(l.Name, maxName))
	}
}

// key says what the signs mean that are there.
func (c Chart) key() []string {
	m := c.marks()
	var all []string
	for _, k := range []struct {
		there bool
		which string
	}{{m.rewritten, "rewritten"}, {m.wrong, "wrong"}, {m.dropped, "dropped"}, {m.unseen, "unseen"}} {
		if k.there {
			all = append(all, k.which)
		}
	}
	return all
}

func (p *picture) key(which string, y int) {
	x := p.first
	words := map[string]string{
		"rewritten": "this node rewrote the underlined address",
		"wrong":     "should have been rewritten here, and was not",
		"dropped":   "went into this node and did not come out",
		"unseen":    "left one node and was not seen at the next",
	}[which]
	switch which {
	case "rewritten":
		p.diamond(x, y+10)
	case "wrong":
		p.add(`<rect class="wrong" x="%d" y="%d" width="34" height="18" rx="3"/>`+"\n", x-17, y+1)
	default:
		p.cross(x, y+10)
	}
	p.add(`<text class="detail" x="%d" y="%d">%s</text>`+"\n", x+26, y+15, words)
}

// sign is half the width of a diamond.
const sign = 9

func (p *picture) diamond(x, y int) {
	p.add(`<path class="nat" d="M%d %dl9 -9l9 9l-9 9z"/>`+"\n", x-sign, y)
}

func (p *picture) cross(x, y int) {
	p.add(`<path class="cross" d="M%d %dl16 16m0 -16l-16 16"/>`+"\n", x-8, y-8)
}
