package chart

// row draws one packet, from y down.
func (p *picture) row(r Row, y int) {
	if r.Left > 0 {
		p.add(`<text class="detail mid" x="%d" y="%d">%s</text>`+"\n", p.x(0)+(p.x(len(p.chart.Lifelines)-1)-p.x(0))/2, y+22, r.gap())
		return
	}
	name := r.name()
	if r.Reset {
		w := int(capital*float64(len(name))) + 20
		p.add(`<rect class="pill" x="8" y="%d" width="%d" height="24" rx="12"/>`+"\n", y+8, w)
		p.add(`<text class="kind onbad mid" x="%d" y="%d">%s</text>`+"\n", 8+w/2, y+26, name)
	} else {
		p.add(`<text class="kind" x="8" y="%d">%s</text>`+"\n", y+25, name)
	}
	if r.Times > 0 {
		p.add(`<text class="detail" x="8" y="%d">%s</text>`+"\n", y+45, when(r.Time))
	} else {
		p.add(`<text class="detail end" x="%d" y="%d">%s</text>`+"\n", p.gutter-12, y+25, when(r.Time))
		p.add(`<text class="numbers" x="8" y="%d">%s</text>`+"\n", y+45, r.numbers())
	}
	arrow := y + 36
	for i, s := range r.Segments {
		if r.Times > 0 {
			p.asked(r, s, i, arrow)
			continue
		}
		// The arrow before a sign ends at the sign.
		short := 2
		if i+1 < len(r.Segments) && r.Segments[i+1].rewritten() {
			short = sign
		}
		p.segment(r, s, arrow, short)
	}
	// Signs of nodes stand on the arrows.
	for _, s := range r.Segments {
		if s.rewritten() {
			p.diamond(p.x(s.From), arrow)
		}
	}
	for i, m := range r.Remarks {
		p.remark(r, m, y+rowH+i*remarkH+14)
	}
}

// asked draws an ARP packet: words over the first part of its arrow. A question
// to everybody has several heads on one shaft.
func (p *picture) asked(r Row, s Segment, i, y int) {
	p.arrow("", p.x(s.From), p.x(s.To), y, 2)
	if i == 0 {
		p.add(`<text class="address mid" x="%d" y="%d">%s</text>`+"\n", p.beside(s), y-11, middle(r.Words, mostLabel))
	}
}

// beside is the middle between the lifeline where a segment begins and the next
// one: no lifeline crosses what stands there.
func (p *picture) beside(s Segment) int {
	if s.From < s.To {
		return p.x(s.From) + p.step/2
	}
	return p.x(s.From) - p.step/2
}

// segment draws an arrow that ends so many units before its lifeline.
func (p *picture) segment(r Row, s Segment, y, short int) {
	from, to := p.x(s.From), p.x(s.To)
	class := ""
	switch {
	case s.NotRewritten:
		class = " wrong"
	case r.Reset:
		class = " reset"
	}
	if s.Unseen {
		lost := from + (to-from)*6/10
		p.add(`<line class="shaft%s lost" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", class, from, y, lost, y)
		p.cross(lost, y)
	} else if s.Dropped {
		p.add(`<line class="shaft%s" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", class, from, y, to, y)
		p.cross(to, y)
	} else {
		p.arrow(class, from, to, y, short)
	}
	left, right := p.chart.ends(s)
	if left.text == "" {
		return
	}
	between := " → "
	if to < from {
		between = " ← "
	}
	each := mostLabel/2 - 1
	left.text, right.text = middle(left.text, each), middle(right.text, each)
	mid := p.beside(s)
	width := int(letter * float64(len([]rune(left.text))+3+len([]rune(right.text))))
	if s.NotRewritten {
		p.add(`<rect class="wrong" x="%d" y="%d" width="%d" height="22" rx="3"/>`+"\n", mid-width/2-8, y-29, width+16)
	}
	class = ""
	if s.NotRewritten {
		class = " onbad"
	}
	p.add(`<text class="address mid%s" x="%d" y="%d">`, class, mid, y-13)
	p.end(left)
	p.add("%s", between)
	p.end(right)
	p.WriteString("</text>\n")
}

func (p *picture) end(e end) {
	switch {
	case e.wrong:
		p.add(`<tspan class="odd">%s</tspan>`, e.text)
	case e.changed:
		p.add(`<tspan class="changed">%s</tspan>`, e.text)
	default:
		p.add("%s", e.text)
	}
}

// arrow draws a shaft and a head that ends just before the lifeline, or before a
// sign on it.
func (p *picture) arrow(class string, from, to, y, short int) {
	size := 11
	if class != "" {
		size = 15
	}
	tip, back := to-short, to-short-size
	if to < from {
		tip, back = to+short, to+short+size
	}
	p.add(`<line class="shaft%s" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", class, from, y, back, y)
	p.add(`<path class="head%s" d="M%d %dL%d %dL%d %dz"/>`+"\n", class, tip, y, back, y-size/2, back, y+size/2)
}

// remark writes what there is to say under the part of the arrow that it is
// about, as far as the drawing has room there.
func (p *picture) remark(r Row, m Remark, y int) {
	first, last := r.Segments[0], r.Segments[len(r.Segments)-1]
	at := (p.x(first.From) + p.x(first.To)) / 2
	if last.NotRewritten || last.Dropped || last.Unseen {
		at = (p.x(last.From) + p.x(last.To)) / 2
	}
	text := m.Text
	class := "remark"
	if m.Bad {
		class, text = "remark bad", "▲ "+text
	}
	if r.Reset {
		class += " onband"
	}
	text = middle(text, int(float64(p.width-p.gutter-16)/letter))
	half := int(letter*float64(len([]rune(text))))/2 + 8
	at = max(p.gutter+half, min(at, p.width-half))
	p.add(`<text class="%s mid halo" x="%d" y="%d">%s</text>`+"\n", class, at, y, text)
}
