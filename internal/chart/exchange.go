package chart

import (
	"net/netip"
	"time"

	"labctl/internal/packets"
)

// exchange is one connection, under all the addresses that it has on its way.
type exchange struct {
	// syn says that the capture has its beginning.
	syn bool
	isn uint32
	at  time.Duration
	// clients and servers are the addresses of both ends, as seen anywhere.
	clients, servers map[netip.AddrPort]bool
	// ports are those of the servers.
	ports map[uint16]bool
}

func (e *exchange) add(client, server netip.AddrPort) {
	e.clients[client], e.servers[server], e.ports[server.Port()] = true, true, true
}

func newExchange() *exchange {
	return &exchange{clients: map[netip.AddrPort]bool{}, servers: map[netip.AddrPort]bool{}, ports: map[uint16]bool{}}
}

// pair is both addresses of a segment, the client's first.
type pair struct{ client, server netip.AddrPort }

// opens tells whether a segment is the first of a connection.
func opens(t *packets.TCP) bool { return t.Has('S') && !t.Has('.') && t.HasSeq }

// firstExchange finds the connection that began first. NAT changes addresses and
// leaves sequence numbers alone, so the initial one says which connection a SYN
// is of. Others is how many more there are, and where their SYNs were seen.
func firstExchange(captures []packets.Capture) (first *exchange, others int) {
	all := map[uint32]*exchange{}
	for _, c := range captures {
		for _, p := range c.Packets {
			if p.TCP == nil || !opens(p.TCP) {
				continue
			}
			e := all[p.TCP.Seq]
			if e == nil {
				e = newExchange()
				e.syn, e.isn, e.at = true, p.TCP.Seq, p.Time
				all[p.TCP.Seq] = e
			}
			e.at = min(e.at, p.Time)
			e.add(p.TCP.From, p.TCP.To)
			if first == nil || e.at < first.at {
				first = e
			}
		}
	}
	if first != nil {
		return first, len(all) - 1
	}
	return withoutSyn(captures), 0
}

// withoutSyn takes the first segment's connection where no SYN was captured. The
// server is who sends a SYN, ACK, else who has the lower port.
func withoutSyn(captures []packets.Capture) *exchange {
	var t *packets.TCP
	var at time.Duration
	for _, c := range captures {
		for _, p := range c.Packets {
			if p.TCP != nil && (t == nil || p.Time < at) {
				t, at = p.TCP, p.Time
			}
		}
	}
	e := newExchange()
	e.at = at
	if t.Has('S') || t.From.Port() < t.To.Port() {
		e.add(t.To, t.From)
	} else {
		e.add(t.From, t.To)
	}
	e.spread(captures)
	return e
}

// spread adds the addresses under which packets of the exchange were seen
// elsewhere on their way.
func (e *exchange) spread(captures []packets.Capture) {
	ours := map[key]bool{}
	for _, c := range captures {
		for _, p := range c.Packets {
			if p.TCP == nil {
				continue
			}
			if toServer, ok := e.of(p.TCP); ok {
				ours[keyOf(p.TCP, toServer)] = true
			}
		}
	}
	for _, c := range captures {
		for _, p := range c.Packets {
			switch {
			case p.TCP == nil:
			case ours[keyOf(p.TCP, true)]:
				e.add(p.TCP.From, p.TCP.To)
			case ours[keyOf(p.TCP, false)]:
				e.add(p.TCP.To, p.TCP.From)
			}
		}
	}
}

// sighting is one packet at one interface of one node.
type sighting struct {
	index int // in the node's capture
	at    time.Duration
	// place is where: each packet passes one only once.
	place    string
	way      packets.Way
	from, to netip.AddrPort
}

// of tells whether a segment belongs to the exchange, and in which direction it
// goes. One that comes to the client from the server's port at another address
// does: that is what a packet looks like that should have been rewritten.
func (e *exchange) of(t *packets.TCP) (toServer, ok bool) {
	if e.clients[t.From] && (e.servers[t.To] || e.syn && e.ports[t.To.Port()]) {
		return true, true
	}
	return false, e.clients[t.To] && (e.servers[t.From] || e.syn && e.ports[t.From.Port()])
}

// passages are the exchange's packets on one node, in the order of their first
// sightings.
func (e *exchange) passages(c packets.Capture) []*passage {
	var all []*passage
	last := map[key]*passage{}
	gone := map[pair]bool{} // taken over by a later connection with the same ports
	for i, p := range c.Packets {
		if p.TCP == nil {
			continue
		}
		toServer, ok := e.of(p.TCP)
		if !ok {
			continue
		}
		both := pair{p.TCP.From, p.TCP.To}
		if !toServer {
			both = pair{p.TCP.To, p.TCP.From}
		}
		if e.syn && opens(p.TCP) {
			gone[both] = p.TCP.Seq != e.isn
		}
		if gone[both] {
			continue
		}
		k := keyOf(p.TCP, toServer)
		s := sighting{index: i, at: p.Time, place: p.Interface + " " + string(p.Way), way: p.Way, from: p.TCP.From, to: p.TCP.To}
		if p.Interface == "lo" {
			s.way = packets.Unknown // what goes out there comes in there
		}
		if before := last[k]; before != nil && !before.seenAt(s.place) {
			before.sightings = append(before.sightings, s)
			continue
		}
		last[k] = &passage{key: k, sightings: []sighting{s}}
		all = append(all, last[k])
	}
	return all
}

// key is what a packet keeps on its way, whatever is rewritten.
type key struct {
	toServer       bool
	seq, ack       uint32
	hasSeq, hasAck bool
	flags          string
	length         uint32
	stamp          string
}

func keyOf(t *packets.TCP, toServer bool) key {
	return key{toServer, t.Seq, t.Ack, t.HasSeq, t.HasAck, t.Flags, t.Length, t.Stamp}
}

// passage is one packet on one node, from where it came in to where it went out.
type passage struct {
	key       key
	sightings []sighting
}

func (p *passage) seenAt(place string) bool {
	for _, s := range p.sightings {
		if s.place == place {
			return true
		}
	}
	return false
}

func (p *passage) entry() sighting { return p.sightings[0] }
func (p *passage) exit() sighting  { return p.sightings[len(p.sightings)-1] }
