// Package chart makes one exchange of packets of what tcpdump saw on several
// nodes, and draws it: as a picture for a page, and as text.
//
// The same packet is seen many times on its way: at a veth, at a bridge, on the
// wire, on the next node, with its addresses rewritten in between. The model
// puts these sightings together. It says only what the captures show: a packet
// "did not come out" of a node where it was seen to go in and not to leave.
package chart

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"labctl/internal/packets"
)

// Source is what tcpdump printed on one node.
type Source struct {
	Node string
	Text string
	// Elided is how many bytes of the text are left out in its middle.
	Elided int64
	// Lost is how many packets tcpdump says that it could not take.
	Lost int64
}

// Chart is one exchange. Without rows it is only notes, which say why.
type Chart struct {
	Title string
	// Summary says in one sentence who talks to whom.
	Summary   string
	Lifelines []Lifeline
	Rows      []Row
	// Notes are what a reader must know besides: what is missing, what is not
	// drawn.
	Notes []string
	// Ports says that ports change on the way, so that addresses are told with
	// them.
	Ports bool
}

// Lifeline is one party or one node on the way.
type Lifeline struct {
	// Name is "client", "server", a node's name or a MAC address.
	Name string
	// Detail is an address, or which part a node has; empty for a node on the way.
	Detail string
	// Node says that it is a machine that captured, and not the end of the line.
	Node bool
}

// Row is one packet on its whole way, or a gap.
type Row struct {
	// Left is how many packets are left out here; then nothing else is set.
	Left int `json:",omitempty"`
	// Time is since the first packet of the exchange, by clocks that are put
	// right by what the packets themselves tell.
	Time time.Duration
	// ToServer tells the direction.
	ToServer bool
	// Words name the packet: "SYN, ACK", or what an ARP packet asks or says.
	Words string
	// Seq and Ack are relative to the initial ones: those of the SYNs are 0.
	Seq, Ack       int64
	HasSeq, HasAck bool
	Length         uint32
	Reset          bool
	// Times is how often an ARP packet came; 0 for TCP.
	Times int `json:",omitempty"`
	// Told says that it is told to everybody, unasked.
	Told     bool `json:",omitempty"`
	Segments []Segment
	Remarks  []Remark
}

// Segment is a packet's way between two lifelines, by their places in the chart.
type Segment struct {
	From, To int
	// Source and Destination are the addresses that it has there.
	Source, Destination netip.AddrPort
	// SourceChanged and DestinationChanged say that the address was rewritten
	// since the segment before.
	SourceChanged, DestinationChanged bool `json:",omitempty"`
	// NotRewritten says that it reaches the client from another address than the
	// one that the client connected to.
	NotRewritten bool `json:",omitempty"`
	// Dropped says that it went into the node at To and did not come out.
	Dropped bool `json:",omitempty"`
	// Unseen says that it left From and was not seen at To.
	Unseen bool `json:",omitempty"`
}

// Remark is what there is to say about a packet in words.
type Remark struct {
	Text string
	// Bad marks what the reader is to look at first.
	Bad bool `json:",omitempty"`
}

// nothing is said of output without packets.
const nothing = "There is nothing to draw: the output has no TCP or ARP packet as tcpdump prints it."

// New makes the chart of what the nodes printed. It never fails: where there is
// nothing to draw, the chart's notes say so.
func New(title string, sources []Source) Chart {
	c := Chart{Title: plain(title, 200)}
	captures := make([]packets.Capture, len(sources))
	names := make([]string, len(sources))
	var tcp, arp int
	for i, s := range sources {
		names[i] = plain(s.Node, 40)
		captures[i] = packets.Parse(s.Text)
		for _, p := range captures[i].Packets {
			if p.TCP != nil {
				tcp++
			} else {
				arp++
			}
		}
	}
	var missing []string
	for i, s := range sources {
		if s.Elided > 0 {
			missing = append(missing, fmt.Sprintf("Of the output of %s, %d bytes in the middle are not in the record.", names[i], s.Elided))
		}
		if s.Lost > 0 {
			missing = append(missing, fmt.Sprintf("On %s, tcpdump lost %d packets.", names[i], s.Lost))
		}
		if n := captures[i].Left; n > 0 {
			missing = append(missing, fmt.Sprintf("Of the packets on %s, the last %d are left out.", names[i], n))
		}
	}
	switch {
	case tcp > 0:
		c.tcp(names, captures, len(missing) == 0)
		if arp > 0 {
			c.note("%s of ARP not drawn.", are(arp, "packet"))
		}
	case arp > 0:
		c.arp(names, captures)
	default:
		c.note(nothing)
	}
	c.Notes = append(c.Notes, missing...)
	if len(missing) > 0 && tcp > 0 {
		c.note("So a packet that is not seen somewhere may have been there: no loss is marked.")
	}
	var foreign, other int
	for _, p := range captures {
		foreign += p.Foreign
		other += p.Other
	}
	if foreign > 0 {
		c.note("%s neither TCP nor ARP.", are(foreign, "packet"))
	}
	if other > 0 {
		c.note("%s no packet.", are(other, "line"))
	}
	return c
}

func (c *Chart) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// are is "1 packet is", "2 packets are".
func are(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return fmt.Sprintf("%d %ss are", n, noun)
}

// maxRows is how many packets a chart shows. More fit no screen.
const maxRows = 48

// shorten leaves out rows where there are too many: those of interest stay, then
// the first and the last.
func shorten(rows []Row) []Row {
	if len(rows) <= maxRows {
		return rows
	}
	keep := make([]bool, len(rows))
	left := maxRows
	take := func(i int) {
		if left > 0 && !keep[i] {
			keep[i] = true
			left--
		}
	}
	take(0)
	for i, r := range rows {
		if left > maxRows/4 && slices.ContainsFunc(r.Remarks, func(r Remark) bool { return r.Bad }) {
			take(i)
		}
	}
	for i := range maxRows / 8 {
		take(len(rows) - 1 - i)
	}
	for i := range rows {
		take(i)
	}
	var kept []Row
	for i, r := range rows {
		switch last := len(kept) - 1; {
		case keep[i]:
			kept = append(kept, r)
		case last >= 0 && kept[last].Left > 0:
			kept[last].Left++
		default:
			kept = append(kept, Row{Left: 1})
		}
	}
	return kept
}

// bad are the remarks that matter most, for those who do not see the drawing.
func (c Chart) bad() []string {
	var all []string
	for _, r := range c.Rows {
		for _, m := range r.Remarks {
			if m.Bad {
				all = append(all, r.Words+": "+m.Text)
			}
		}
	}
	return all[:min(len(all), 8)]
}

// Label says in words what the drawing shows.
func (c Chart) Label() string {
	parts := append([]string{c.Title, c.Summary}, c.bad()...)
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	for i, p := range parts {
		parts[i] = strings.TrimSuffix(p, ".")
	}
	return strings.Join(parts, ". ")
}
