// Package packets reads what tcpdump prints about the packets of one node. It
// knows TCP and ARP; of everything else it knows only that it was there.
//
// The text comes from guests: any line may be missing, torn, hostile or no
// packet at all, and none of that is an error.
package packets

import (
	"net/netip"
	"strings"
	"time"
)

// MaxPackets is how many packets of one capture are kept. A reader looks at some
// dozens; this much bounds the time and the memory that a hostile guest costs.
const MaxPackets = 4000

// maxLine is how many bytes of a line are looked at. The longest that tcpdump
// prints about one packet without its payload is far below.
const maxLine = 2000

// Way is which way a packet passed an interface, as tcpdump says for `-i any`.
type Way string

// The ways. Tcpdump says none when it listens on one interface.
const (
	Unknown Way = ""
	In      Way = "In"
	Out     Way = "Out"
)

// Packet is one line of tcpdump: one sighting of one packet. It has either TCP
// or ARP.
type Packet struct {
	// Time is since the epoch, or since midnight where tcpdump printed the time
	// of day; it never runs backwards within a capture.
	Time time.Duration
	// Interface is empty if tcpdump listened on one.
	Interface string
	Way       Way
	// Everybody says that it came in as a broadcast or multicast. Of what goes out,
	// and where tcpdump listened on one interface, it does not tell.
	Everybody bool
	TCP       *TCP
	ARP       *ARP
}

// TCP is a segment.
type TCP struct {
	From, To netip.AddrPort
	// Flags are tcpdump's letters in their order, such as "S." or "P."; empty for
	// none.
	Flags string
	// Seq and Ack are as on the wire if tcpdump was called with -S. A segment
	// without sequence number in the text, a bare ACK, has HasSeq false.
	Seq, Ack       uint32
	HasSeq, HasAck bool
	// Length is that of the payload, in bytes.
	Length uint32
	// Stamp is the timestamp option as tcpdump prints it: two segments with the
	// same numbers and different stamps are a segment and its retransmission.
	Stamp string
}

// Has tells whether a flag is set, by tcpdump's letter: 'S', 'F', 'R', 'P', '.'.
func (t TCP) Has(flag byte) bool { return strings.IndexByte(t.Flags, flag) >= 0 }

// ARP is a question or an answer.
type ARP struct {
	// Reply is false for a question.
	Reply bool
	// Target is the address that is asked for or answered for.
	Target netip.Addr
	// Asker is who asks, in a question; the zero value in an answer, for tcpdump
	// does not print it.
	Asker netip.Addr
	// MAC is who answers; in a question whom it was sent to, empty for everybody.
	MAC string
}

// Capture is what one node's tcpdump printed.
type Capture struct {
	// Packets are in the order of the text.
	Packets []Packet
	// Left is how many packets over MaxPackets were left out.
	Left int
	// Foreign counts packets that are neither TCP nor ARP, Other the lines that
	// are no packets: empty ones do not count.
	Foreign, Other int
}

// Parse reads a text of any size. Lines that are no packets are counted and
// nothing more.
func Parse(text string) Capture {
	var c Capture
	var clock clock
	for l := range strings.Lines(text) {
		if len(l) > maxLine {
			l = l[:maxLine]
		}
		l = strings.TrimRight(l, "\r\n \t")
		if l == "" {
			continue
		}
		switch p, kind := line(l); {
		case kind == noPacket:
			c.Other++
		case kind == foreign:
			c.Foreign++
		case len(c.Packets) == MaxPackets:
			c.Left++
		default:
			p.Time = clock.at(p.Time)
			c.Packets = append(c.Packets, p)
		}
	}
	return c
}

// clock makes times that do not run backwards: lines of one capture are in the
// order in which the packets passed, their stamps are of several processors.
type clock struct {
	last time.Duration
	days time.Duration
	any  bool
}

func (c *clock) at(t time.Duration) time.Duration {
	const day = 24 * time.Hour
	t += c.days
	// The time of day begins anew at midnight.
	if c.any && t < day+c.days && c.last-t > day/2 && c.last-t <= day {
		c.days += day
		t += day
	}
	if c.any {
		t = max(t, c.last)
	}
	c.last, c.any = t, true
	return t
}
