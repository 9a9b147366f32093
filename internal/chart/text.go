package chart

import (
	"strings"
)

// textWidth is how many columns the text takes at most.
const textWidth = 100

// edge is how far the first and the last lifeline are from the border: half of
// what stands over them.
const edge = 8

// Text draws the chart with characters, in lines of at most 100 columns. Of a
// chart without rows it returns the notes.
func (c Chart) Text() string {
	var b strings.Builder
	if c.Title != "" {
		paragraph(&b, "", c.Title)
	}
	if c.Summary != "" {
		paragraph(&b, "", c.Summary)
	}
	if len(c.Rows) > 0 && len(c.Lifelines) > 1 {
		c.textRows(&b)
	}
	for _, n := range c.Notes {
		paragraph(&b, "", n)
	}
	return b.String()
}

// columnsOf are the lifelines' columns.
func (c Chart) columnsOf() []int {
	n := len(c.Lifelines)
	xs := make([]int, n)
	step := min(34, (textWidth-2*edge-1)/max(1, n-1))
	for i := range xs {
		xs[i] = edge + i*step
	}
	return xs
}

func (c Chart) textRows(b *strings.Builder) {
	xs := c.columnsOf()
	room := xs[1] - xs[0]
	names, details := blank(), blank()
	for i, l := range c.Lifelines {
		space := min(room-1, 2*min(xs[i], textWidth-1-xs[i]))
		names.centre(xs[i], middle(l.Name, space))
		details.centre(xs[i], middle(l.Detail, space))
	}
	b.WriteString("\n" + names.String() + "\n" + details.String() + "\n")
	lines := func() canvas {
		l := blank()
		for _, x := range xs {
			l[x] = '|'
		}
		return l
	}
	b.WriteString(lines().String() + "\n")
	for _, r := range c.Rows {
		info := lines()
		if r.Left > 0 {
			info.put(edge+2, r.gap())
			b.WriteString(info.String() + "\n")
			continue
		}
		name := r.name()
		if r.Reset {
			name = "*** " + name + " ***"
		}
		if r.Times > 0 {
			name += ": " + r.Words
		}
		info.put(0, middle(strings.TrimRight(when(r.Time)+"  "+name+"  "+r.numbers(), " ")+" ", textWidth))
		b.WriteString(info.String() + "\n")
		arrow := lines()
		for _, s := range r.Segments {
			c.textSegment(arrow, xs, s, r)
		}
		b.WriteString(arrow.String() + "\n")
		for _, m := range r.Remarks {
			mark := "   "
			if m.Bad {
				mark = "!! "
			}
			paragraph(b, "           "+mark, m.Text)
		}
		b.WriteString(lines().String() + "\n")
	}
	m := c.marks()
	for _, k := range []struct {
		there bool
		words string
	}{
		{m.rewritten, "*  after an address: it was rewritten since the lifeline before"},
		{m.wrong, "!  around an address: it should have been rewritten and was not"},
		{m.dropped, "X  at a lifeline: the packet went in there and did not come out"},
		{m.unseen, "X  between two lifelines: the packet left one and was not seen at the other"},
	} {
		if k.there {
			paragraph(b, "", k.words)
		}
	}
	b.WriteByte('\n')
}

// textSegment draws an arrow with its addresses in it.
func (c Chart) textSegment(l canvas, xs []int, s Segment, r Row) {
	from, to := xs[s.From], xs[s.To]
	left, right := min(from, to), max(from, to)
	if left == right {
		return
	}
	stroke := '-'
	if r.Reset {
		stroke = '='
	}
	for x := left + 1; x < right; x++ {
		if l[x] == ' ' || r.Times == 0 {
			l[x] = stroke
		}
	}
	head, at := '>', right-1
	if to < from {
		head, at = '<', left+1
	}
	switch {
	case s.Unseen:
		at = (left + right) / 2
		for x := left + 1; x < right; x++ {
			if (x-at)*(to-from) > 0 {
				l[x] = ' '
			}
		}
		head = 'X'
	case s.Dropped:
		head = 'X'
	}
	l[at] = head
	if s.Unseen {
		// The addresses stand on what there is of the arrow.
		if from < to {
			right = at
		} else {
			left = at
		}
	}
	if label := c.textLabel(s, right-left-4); label != "" {
		if to < from {
			right++ // the head is on the left
		}
		l.centre((left+right)/2, label)
	}
}

// textLabel is a segment's addresses, shortened to so many columns.
func (c Chart) textLabel(s Segment, room int) string {
	left, right := c.ends(s)
	if left.text == "" || room < 7 {
		return ""
	}
	word := func(e end, room int) string {
		switch {
		case e.wrong:
			return "!" + middle(e.text, room-2) + "!"
		case e.changed:
			return middle(e.text, room-1) + "*"
		}
		return middle(e.text, room)
	}
	between := ">"
	if s.To < s.From {
		between = "<"
	}
	whole := word(left, 99) + between + word(right, 99)
	if len([]rune(whole)) <= room {
		return whole
	}
	// What went wrong is shown whole, if only just.
	half := (room - 1) / 2
	switch {
	case left.wrong:
		left.text = word(left, max(half, room-8))
		return left.text + between + word(right, room-1-len([]rune(left.text)))
	case right.wrong:
		right.text = word(right, max(half, room-8))
		return word(left, room-1-len([]rune(right.text))) + between + right.text
	}
	return word(left, half) + between + word(right, half)
}

// canvas is one line of text.
type canvas []rune

func blank() canvas { return canvas([]rune(strings.Repeat(" ", textWidth))) }

func (l canvas) put(at int, text string) {
	for _, r := range text {
		if at >= 0 && at < len(l) {
			l[at] = r
		}
		at++
	}
}

func (l canvas) centre(at int, text string) { l.put(at-len([]rune(text))/2, text) }

func (l canvas) String() string { return strings.TrimRight(string(l), " ") }

// paragraph writes text in lines of at most 100 columns, each with the indent.
func paragraph(b *strings.Builder, indent, text string) {
	line := ""
	flush := func() {
		if line != "" {
			b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
		}
		line = ""
	}
	room := textWidth - len([]rune(indent))
	for _, word := range strings.Fields(text) {
		word = middle(word, room)
		if line != "" && len([]rune(line))+1+len([]rune(word)) > room {
			flush()
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	flush()
}
