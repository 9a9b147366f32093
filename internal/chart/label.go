package chart

import (
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// end is one of a segment's addresses as a drawing shows it.
type end struct {
	text    string
	changed bool
	// wrong is an address that should have been rewritten.
	wrong bool
}

// ends are a segment's addresses as they stand on the page: the left one first.
func (c Chart) ends(s Segment) (left, right end) {
	source := end{c.address(s.Source), s.SourceChanged, s.NotRewritten}
	destination := end{c.address(s.Destination), s.DestinationChanged, false}
	if s.From <= s.To {
		return source, destination
	}
	return destination, source
}

func (c Chart) address(a netip.AddrPort) string {
	switch {
	case !a.IsValid():
		return ""
	case c.Ports:
		return a.String()
	}
	return a.Addr().String()
}

// numbers are a packet's, in words.
func (r Row) numbers() string {
	var all []string
	if r.HasSeq {
		all = append(all, fmt.Sprintf("seq %d", r.Seq))
	}
	if r.HasAck {
		all = append(all, fmt.Sprintf("ack %d", r.Ack))
	}
	if r.Length > 0 {
		all = append(all, fmt.Sprintf("len %d", r.Length))
	}
	return strings.Join(all, " ")
}

// name says what kind of packet it is.
func (r Row) name() string {
	if r.Times == 0 {
		return r.Words
	}
	verb := "answers"
	switch {
	case r.Told:
		verb = "tells everybody"
	case r.ToServer:
		verb = "asks"
	}
	switch r.Times {
	case 1:
		return verb + " once"
	case 2:
		return verb + " twice"
	}
	return fmt.Sprintf("%s %d times", verb, r.Times)
}

func (r Row) gap() string {
	if r.Left == 1 {
		return "… 1 packet is not drawn …"
	}
	return fmt.Sprintf("… %d packets are not drawn …", r.Left)
}

// when is a time since the first packet, for people.
func when(d time.Duration) string {
	switch {
	case d == 0:
		return "0 ms"
	case d < 10*time.Millisecond:
		return fmt.Sprintf("+%.3f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("+%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("+%.3f s", d.Seconds())
}

func (s Segment) rewritten() bool { return s.SourceChanged || s.DestinationChanged }

// marks are the signs that the drawing has, for its key.
type marks struct{ rewritten, wrong, dropped, unseen bool }

func (c Chart) marks() marks {
	var m marks
	for _, r := range c.Rows {
		for _, s := range r.Segments {
			m.rewritten = m.rewritten || s.rewritten()
			m.wrong = m.wrong || s.NotRewritten
			m.dropped = m.dropped || s.Dropped
			m.unseen = m.unseen || s.Unseen
		}
	}
	return m
}
