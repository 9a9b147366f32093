package chart

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"labctl/internal/packets"
)

// path is how the exchange goes through the nodes.
type path struct {
	names []string
	// order is the nodes from the client to the server; those that saw nothing
	// are not there.
	order []int
	// ways are the nodes that packets to the client [0] and to the server [1]
	// pass, in their order.
	ways [2][]int
	// offsets say how far each node's clock is ahead.
	offsets []time.Duration
	// line is each node's lifeline; client and server are those of the ends.
	line           []int
	client, server int
	// clientNode and serverNode are nodes that are an end themselves, or -1.
	clientNode, serverNode int
	// connected is the address that the client connected to.
	connected netip.AddrPort
}

// newPath finds the order of the nodes and the ends.
func newPath(names []string, nodes [][]*passage) *path {
	p := &path{names: names, offsets: make([]time.Duration, len(names)), line: make([]int, len(names)), clientNode: -1, serverNode: -1}
	for n, passages := range nodes {
		if len(passages) > 0 {
			p.order = append(p.order, n)
		}
	}
	for _, n := range p.order[1:] {
		p.offsets[n] = lagOf(nodes[p.order[0]], nodes[n]).offset
	}
	slices.SortStableFunc(p.order, func(a, b int) int { return p.compare(nodes, a, b) })

	for _, n := range p.order {
		for direction, toServer := range []bool{false, true} {
			if firstOf(nodes[n], toServer) != nil {
				p.ways[direction] = append(p.ways[direction], n)
			}
		}
	}
	slices.Reverse(p.ways[0])

	first := firstOf(nodes[p.order[0]], true)
	if first != nil {
		p.connected = first.entry().to
		if first.entry().way == packets.Out {
			p.clientNode = p.order[0]
		}
	}
	last := p.order[len(p.order)-1]
	if answer := firstOf(nodes[last], false); answer != nil && answer.entry().way == packets.Out && last != p.clientNode {
		p.serverNode = last
	}
	return p
}

func direction(toServer bool) int {
	if toServer {
		return 1
	}
	return 0
}

// firstOf is the first packet of a direction on a node.
func firstOf(passages []*passage, toServer bool) *passage {
	for _, p := range passages {
		if p.key.toServer == toServer {
			return p
		}
	}
	return nil
}

// compare says which of two nodes is nearer to the client: by the way that
// packets and answers take between them, else by who made the first packet or
// took it in, by where its addresses were rewritten, and last by the clocks.
func (p *path) compare(nodes [][]*passage, a, b int) int {
	if by := lagOf(nodes[a], nodes[b]).nearer; by != 0 {
		return by
	}
	x, y := firstOf(nodes[a], true), firstOf(nodes[b], true)
	switch {
	case x == nil && y == nil:
		// Answers go the other way.
		x, y = firstOf(nodes[b], false), firstOf(nodes[a], false)
		a, b = b, a
	case y == nil:
		return -1
	case x == nil:
		return 1
	}
	starts := func(s *passage) bool { return s.entry().way == packets.Out }
	ends := func(s *passage) bool { return s.exit().way == packets.In }
	follows := func(s, t *passage) bool { return s.exit().from == t.entry().from && s.exit().to == t.entry().to }
	for _, rule := range []func(s, t *passage) bool{
		func(s, t *passage) bool { return starts(s) && !starts(t) },
		func(s, t *passage) bool { return ends(t) && !ends(s) },
		func(s, t *passage) bool { return follows(s, t) && !follows(t, s) },
	} {
		if rule(x, y) {
			return -1
		}
		if rule(y, x) {
			return 1
		}
	}
	return cmp.Compare(x.entry().at-p.offsets[a], y.entry().at-p.offsets[b])
}

// lifelines are the ends and the nodes between them.
func (p *path) lifelines(client, server netip.AddrPort) []Lifeline {
	var all []Lifeline
	if p.clientNode < 0 {
		all = append(all, Lifeline{Name: "client", Detail: client.String()})
	}
	for _, n := range p.order {
		p.line[n] = len(all)
		l := Lifeline{Name: p.names[n], Node: true}
		switch n {
		case p.clientNode:
			p.client, l.Detail = len(all), "client "+client.String()
		case p.serverNode:
			l.Detail = "server " + server.String()
		}
		all = append(all, l)
	}
	p.server = len(all) - 1
	if p.serverNode < 0 {
		p.server = len(all)
		all = append(all, Lifeline{Name: "server", Detail: server.String()})
	}
	return all
}

// way are the nodes that packets of a direction pass, in its order.
func (p *path) way(toServer bool) []int { return p.ways[direction(toServer)] }

// ends are the lifelines between which a direction goes, and the node at which it
// ends, or -1.
func (p *path) ends(toServer bool) (from, to, node int) {
	if toServer {
		return p.client, p.server, p.serverNode
	}
	return p.server, p.client, p.clientNode
}

// segments draws a packet from lifeline to lifeline. Sure says that the captures
// are whole, so that what was not seen was not there.
func (p *path) segments(one *packet, sure bool) []Segment {
	from, to, end := p.ends(one.key.toServer)
	var all []Segment
	add := func(s Segment) {
		if s.From == s.To {
			return // captures that contradict themselves
		}
		if n := len(all); n > 0 {
			s.SourceChanged = s.Source != all[n-1].Source
			s.DestinationChanged = s.Destination != all[n-1].Destination
		}
		all = append(all, s)
	}
	at := from
	var left *passage // on the node that it was seen on last
	for _, n := range p.way(one.key.toServer) {
		here := one.on[n]
		switch {
		case here == nil:
			if left != nil && sure && !p.later(one, n) {
				add(Segment{From: at, To: p.line[n], Source: left.exit().from, Destination: left.exit().to, Unseen: true})
				return all
			}
			continue
		case left == nil && here.entry().way == packets.Out:
			// This node made it.
		default:
			add(Segment{From: at, To: p.line[n], Source: here.entry().from, Destination: here.entry().to})
		}
		at, left = p.line[n], here
		if here.exit().way == packets.In {
			if n != end && !p.later(one, n) {
				if sure && len(all) > 0 {
					all[len(all)-1].Dropped = true
				}
				return all
			}
		}
	}
	if left != nil && at != to {
		add(Segment{From: at, To: to, Source: left.exit().from, Destination: left.exit().to})
	}
	if n := len(all); n > 0 && !one.key.toServer && one.on[p.order[0]] != nil && p.connected.IsValid() && all[n-1].Source != p.connected {
		all[n-1].NotRewritten = true
	}
	return all
}

// later tells whether the packet was seen on a node further on its way.
func (p *path) later(one *packet, node int) bool {
	way := p.way(one.key.toServer)
	for _, n := range way[slices.Index(way, node)+1:] {
		if one.on[n] != nil {
			return true
		}
	}
	return false
}
