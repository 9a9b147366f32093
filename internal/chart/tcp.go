package chart

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"labctl/internal/packets"
)

// tcp fills the chart with the first exchange of the captures. Sure says that
// they are whole.
func (c *Chart) tcp(names []string, captures []packets.Capture, sure bool) {
	e, others := firstExchange(captures)
	nodes := make([][]*passage, len(captures))
	for i, capture := range captures {
		nodes[i] = e.passages(capture)
	}
	p := newPath(names, nodes)
	all := p.inOrder(join(nodes, p.offsets))
	client, server := p.addresses(all)
	c.Lifelines = p.lifelines(client, server)
	c.Summary = fmt.Sprintf("%s connects to %s.", client, p.target(server))
	base := bases(all)
	repeats := map[key]int{}
	var start time.Duration
	var furthest [2]*int64
	for _, one := range all {
		segments := p.segments(one, sure)
		if len(segments) == 0 {
			continue
		}
		k := one.key
		if len(c.Rows) == 0 {
			start = one.sent
		}
		r := Row{Time: one.sent - start, ToServer: k.toServer, Words: words(k.flags), HasSeq: k.hasSeq, HasAck: k.hasAck,
			Length: k.length, Reset: strings.Contains(k.flags, "R"), Segments: segments}
		if n := len(c.Rows); n > 0 {
			r.Time = max(r.Time, c.Rows[n-1].Time)
		}
		if k.hasSeq {
			r.Seq = base.relative(k.toServer, k.seq)
		}
		if k.hasAck {
			r.Ack = base.relative(!k.toServer, k.ack)
		}
		k.stamp = ""
		repeats[k]++
		strayed := k.toServer && one.on[p.order[0]] != nil && segments[0].From == p.client && segments[0].Destination != p.connected
		c.remark(p, &r, strayed, repeats[k], furthest[direction(k.toServer)])
		if n := k.occupies(); n > 0 && k.hasSeq {
			next := r.Seq + int64(n)
			if was := furthest[direction(k.toServer)]; was == nil || near(next, *was) && next > *was {
				furthest[direction(k.toServer)] = &next
			}
		}
		c.Rows = append(c.Rows, r)
	}
	if len(c.Rows) == 0 {
		c.note("There is nothing to draw: no packet goes from one place to another.")
	}
	c.Ports = manyPorts(c.Rows)
	c.Rows = shorten(c.Rows)
	c.notes(p, e, others)
}

// far is how many bytes ahead or behind a segment is out of any window that a
// lab's hosts offer.
const far = 1 << 20

func near(a, b int64) bool { return a-b < far && b-a < far }

// remark says what there is to say of a packet: whether it strayed to an address
// that its sender did not connect to, how often it was sent so far, and what its
// sender would send next, if that is known.
func (c *Chart) remark(p *path, r *Row, strayed bool, times int, next *int64) {
	say := func(bad bool, format string, args ...any) {
		r.Remarks = append(r.Remarks, Remark{fmt.Sprintf(format, args...), bad})
	}
	first, last := r.Segments[0], r.Segments[len(r.Segments)-1]
	if r.Reset {
		say(true, "reset by %s", c.party(first.From))
	}
	switch {
	case last.NotRewritten:
		say(true, "not rewritten back: the client connected to %s", p.connected)
	case strayed:
		say(false, "to an address that the client did not connect to")
	}
	if last.Dropped {
		say(true, "went into %s and did not come out", c.party(last.To))
	}
	if last.Unseen {
		say(true, "left %s and was not seen at %s", c.party(last.From), c.party(last.To))
	}
	if r.HasSeq && next != nil && !near(r.Seq, *next) {
		say(false, "next in sequence would be %d", *next)
	}
	if times > 1 && (r.Length > 0 || strings.Contains(r.Words, "SYN") || strings.Contains(r.Words, "FIN")) {
		say(false, "sent again: number %d", times)
	}
}

// party is a lifeline in words.
func (c *Chart) party(i int) string {
	if l := c.Lifelines[i]; l.Node {
		return l.Name
	}
	return "the " + c.Lifelines[i].Name
}

func (c *Chart) notes(p *path, e *exchange, others int) {
	if others > 0 {
		c.note("The first of %d connections: %s not drawn.", others+1, are(others, "other"))
	}
	if !e.syn {
		c.note("The captures have no SYN: sequence numbers count from the first that was seen.")
	}
	seen := map[int]bool{}
	for _, n := range p.order {
		seen[n] = true
	}
	for n, name := range p.names {
		if !seen[n] {
			c.note("%s saw none of these packets.", name)
		}
	}
}

// addresses are those of the ends where they are: the client's at the nearest
// node, the server's at the farthest, each as the first packet has it that was
// there. Packets to the server tell before others.
func (p *path) addresses(all []*packet) (client, server netip.AddrPort) {
	toServer := len(p.way(true)) > 0
	way := p.way(toServer)
	for _, one := range all {
		if one.key.toServer != toServer {
			continue
		}
		if at := one.on[way[0]]; at != nil && !client.IsValid() {
			client = at.entry().from
		}
		if at := one.on[way[len(way)-1]]; at != nil && !server.IsValid() {
			server = at.exit().to
		}
	}
	if !toServer {
		client, server = server, client
	}
	return client, server
}

// target is the address that the client connects to.
func (p *path) target(server netip.AddrPort) netip.AddrPort {
	if p.connected.IsValid() {
		return p.connected
	}
	return server
}

// base is what sequence numbers count from, for each direction.
type base struct {
	from  [2]uint32
	known [2]bool
}

func bases(all []*packet) base {
	var b base
	set := func(toServer bool, n uint32) {
		if d := direction(toServer); !b.known[d] {
			b.from[d], b.known[d] = n, true
		}
	}
	for _, one := range all {
		if one.key.hasSeq && strings.Contains(one.key.flags, "S") {
			set(one.key.toServer, one.key.seq)
		}
	}
	// Without SYN: what is acknowledged, or sent, comes after 0.
	for _, one := range all {
		if one.key.hasAck {
			set(!one.key.toServer, one.key.ack-1)
		}
		if one.key.hasSeq && !(strings.Contains(one.key.flags, "R") && one.key.seq == 0) {
			set(one.key.toServer, one.key.seq-1)
		}
	}
	return b
}

// relative is a number as it counts from the initial one. What lies a little
// before it is negative.
func (b base) relative(toServer bool, n uint32) int64 {
	d := direction(toServer)
	if !b.known[d] {
		return int64(n)
	}
	return int64(int32(n - b.from[d]))
}

// words are the names of flags.
func words(flags string) string {
	names := map[rune]string{'S': "SYN", 'F': "FIN", 'R': "RST", 'P': "PSH", '.': "ACK", 'U': "URG", 'E': "ECE", 'W': "CWR", 'e': "AE"}
	var all []string
	for _, f := range flags {
		if name := names[f]; name != "" {
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		return "no flags"
	}
	return strings.Join(all, ", ")
}

// manyPorts tells whether an end has several ports on the way.
func manyPorts(rows []Row) bool {
	ports := [2]map[uint16]bool{{}, {}}
	for _, r := range rows {
		for _, s := range r.Segments {
			client, server := s.Source, s.Destination
			if !r.ToServer {
				client, server = server, client
			}
			ports[0][client.Port()], ports[1][server.Port()] = true, true
		}
	}
	return len(ports[0]) > 1 || len(ports[1]) > 1
}
