package chart

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// packet is one packet on all nodes.
type packet struct {
	key key
	// on is its passage on each node; nil where it was not seen.
	on []*passage
	// origin is the node that saw it first on its way, and sent is when.
	origin int
	sent   time.Duration
}

// join puts the passages of the nodes together: those with the same key are one
// packet, and where there are several, the first on one node is the first on the
// other. Where one node saw more of them than another, those nearest in time
// belong together.
func join(nodes [][]*passage, offsets []time.Duration) []*packet {
	var all []*packet
	byKey := map[key][]*packet{}
	for n, passages := range nodes {
		mine := map[key][]*passage{}
		var keys []key
		for _, p := range passages {
			if mine[p.key] == nil {
				keys = append(keys, p.key)
			}
			mine[p.key] = append(mine[p.key], p)
		}
		for _, k := range keys {
			for i, at := range match(byKey[k], mine[k], n, offsets) {
				if at == nil {
					at = &packet{key: k, on: make([]*passage, len(nodes))}
					byKey[k] = append(byKey[k], at)
					all = append(all, at)
				}
				at.on[n] = mine[k][i]
			}
		}
	}
	return all
}

// maxNear is up to how many packets with the same key are compared by time: all
// with all. More of them are those of a flood.
const maxNear = 64

// match says for each passage on node n which packet it is; nil for a new one.
func match(known []*packet, mine []*passage, n int, offsets []time.Duration) []*packet {
	found := make([]*packet, len(mine))
	if len(known) == len(mine) || len(known) > maxNear || len(mine) > maxNear {
		copy(found, known)
		return found
	}
	type candidate struct {
		known, mine int
		apart       time.Duration
	}
	var all []candidate
	for i, p := range known {
		for j, m := range mine {
			apart := p.time(offsets) - (m.entry().at - offsets[n])
			all = append(all, candidate{i, j, max(apart, -apart)})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.apart, b.apart) })
	taken := map[int]bool{}
	for _, c := range all {
		if !taken[c.known] && found[c.mine] == nil {
			taken[c.known], found[c.mine] = true, known[c.known]
		}
	}
	return found
}

// time is when the packet was first seen anywhere.
func (p *packet) time(offsets []time.Duration) time.Duration {
	first := time.Duration(math.MaxInt64)
	for n, passage := range p.on {
		if passage != nil {
			first = min(first, passage.entry().at-offsets[n])
		}
	}
	return first
}

// lag is what two nodes' clocks and the packets between them say of each other.
// Times of one packet on both nodes differ by the clocks' offset and by the way
// between them: the way counts one way round for packets to the server and the
// other way round for those to the client. So the offset lies between the two,
// and which of them is greater tells who is nearer to the client.
type lag struct {
	// offset is how far b's clock is ahead of a's.
	offset time.Duration
	// nearer is -1 if a is nearer to the client, 1 if b is, 0 if nobody knows.
	nearer int
}

func lagOf(a, b []*passage) lag {
	one := func(passages []*passage) map[key]*passage {
		found := map[key]*passage{}
		for _, p := range passages {
			if _, twice := found[p.key]; twice {
				found[p.key] = nil
			} else {
				found[p.key] = p
			}
		}
		return found
	}
	there := one(b)
	var to, from apart
	for k, p := range one(a) {
		q := there[k]
		if p == nil || q == nil {
			continue
		}
		d := q.entry().at - p.entry().at
		if k.toServer {
			to.add(d)
		} else {
			from.add(d)
		}
	}
	return lagBetween(to, from)
}

// apart are the differences of times of packets of one direction, on two nodes.
type apart struct {
	some        bool
	least, most time.Duration
}

func (a *apart) add(d time.Duration) {
	if !a.some {
		*a = apart{true, d, d}
	}
	a.least, a.most = min(a.least, d), max(a.most, d)
}

// lagBetween is what packets there and back tell.
func lagBetween(to, from apart) lag {
	switch {
	case to.some && from.some && from.most < to.least:
		return lag{from.most + (to.least-from.most)/2, -1}
	case to.some && from.some && to.most < from.least:
		return lag{to.most + (from.least-to.most)/2, 1}
	case to.some && from.some:
		return lag{(to.least + from.least) / 2, 0}
	case to.some:
		return lag{oneWay(to.least), 0}
	case from.some:
		return lag{oneWay(from.least), 0}
	}
	return lag{}
}

// agree is how far clocks that keep the time may be apart, and packets may be on
// their way.
const agree = time.Second

// oneWay is the offset where packets of one direction are all there is: none,
// unless the clocks do not even count from the same day.
func oneWay(d time.Duration) time.Duration {
	if d > -agree && d < agree {
		return 0
	}
	return d
}
