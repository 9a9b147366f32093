package chart

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"labctl/internal/packets"
)

// asking is one kind of ARP packet: the same question or the same answer, to the
// same one.
type asking struct {
	packets.ARP
	at    time.Duration
	times int
	// node says where it was seen to be sent; -1 if nowhere.
	node int
	// to is the node that alone was asked; -1 for everybody, or if nobody tells.
	to int
	// told says that it went to everybody, and is no question.
	told bool
	// heard are the nodes that it was seen to reach.
	heard []int
}

// sightings are those of one kind of packet, wherever it went.
type sightings struct {
	packets.ARP
	first time.Duration
	node  int
	// sent, all and one count it at each place: there it was sent, came as a
	// broadcast, came to this node alone. A packet is at each place once.
	sent, all, one map[place]int
	// firstAll and firstOne are when the first came to everybody, and to each node.
	firstAll time.Duration
	firstOne map[int]time.Duration
}

type place struct {
	node int
	name string
}

// askings are the packets about the first address that is asked for, each kind
// once, in their order, and how many other addresses there are.
func askings(captures []packets.Capture) (all []*asking, target netip.Addr, others int) {
	kinds := map[packets.ARP]*sightings{}
	var order []*sightings
	targets := map[netip.Addr]bool{}
	ahead := arpClocks(captures)
	for n, c := range captures {
		for _, p := range c.Packets {
			if p.ARP == nil {
				continue
			}
			p.Time -= ahead[n]
			s := kinds[*p.ARP]
			if s == nil {
				s = &sightings{ARP: *p.ARP, first: p.Time, node: -1, sent: map[place]int{}, all: map[place]int{}, one: map[place]int{}, firstOne: map[int]time.Duration{}}
				kinds[*p.ARP] = s
				order = append(order, s)
			}
			s.see(n, p)
			targets[p.ARP.Target] = true
		}
	}
	for _, s := range order {
		all = append(all, s.askings()...)
	}
	// A question comes before an answer that was seen at the same time.
	slices.SortStableFunc(all, func(a, b *asking) int {
		if by := cmp.Compare(a.at, b.at); by != 0 {
			return by
		}
		return cmp.Compare(map[bool]int{true: 1}[a.Reply], map[bool]int{true: 1}[b.Reply])
	})
	target = all[0].Target
	all = slices.DeleteFunc(all, func(a *asking) bool { return a.Target != target })
	return all, target, len(targets) - 1
}

func (s *sightings) see(n int, p packets.Packet) {
	at := place{n, fmt.Sprint(p.Interface, " ", p.Way)}
	s.first = min(s.first, p.Time)
	switch {
	case p.Way == packets.In && p.Everybody:
		if len(s.all) == 0 || p.Time < s.firstAll {
			s.firstAll = p.Time
		}
		s.all[at]++
	case p.Way == packets.In && (s.Reply || s.MAC == ""):
		if first, ok := s.firstOne[n]; !ok || p.Time < first {
			s.firstOne[n] = p.Time
		}
		s.one[at]++
	default:
		s.sent[at]++
	}
	if p.Way == packets.Out {
		s.node = n
	}
}

// askings splits a kind by whom it went to. Whoever sends says nothing of that:
// a question that was not seen to reach one node alone went to everybody.
func (s *sightings) askings() []*asking {
	all, sent := most(s.all, -1), most(s.sent, -1)
	everybody := asking{ARP: s.ARP, at: s.firstAll, times: all, node: s.node, to: -1, told: s.Reply || s.Asker == s.Target}
	for at := range s.all {
		everybody.heard = append(everybody.heard, at.node)
	}
	slices.Sort(everybody.heard)
	everybody.heard = slices.Compact(everybody.heard)
	var list []*asking
	if s.Reply {
		answer := asking{ARP: s.ARP, at: s.first, times: max(most(s.one, -1), sent-all), node: s.node, to: -1}
		if all > 0 {
			for _, at := range s.firstOne {
				answer.at = max(answer.at, at)
			}
			list = append(list, &everybody)
		}
		if answer.times > 0 {
			list = append(list, &answer)
		}
		return list
	}
	ones := 0
	for n := range s.firstOne {
		times := most(s.one, n)
		ones += times
		list = append(list, &asking{ARP: s.ARP, at: s.firstOne[n], times: times, node: s.node, to: n, heard: []int{n}})
	}
	slices.SortFunc(list, func(a, b *asking) int { return cmp.Compare(a.to, b.to) })
	if all == 0 {
		everybody.at = s.first
	}
	if everybody.times = max(all, sent-ones); everybody.times > 0 {
		list = append(list, &everybody)
	}
	return list
}

// most is how often a packet was seen where it was seen most, of one node or of
// all (-1).
func most(counts map[place]int, node int) int {
	most := 0
	for at, n := range counts {
		if node < 0 || at.node == node {
			most = max(most, n)
		}
	}
	return most
}
