package chart

import (
	"cmp"
	"slices"
)

// place finds where and when a packet was first seen on its way.
func (p *path) place(one *packet) {
	for _, n := range p.way(one.key.toServer) {
		if one.on[n] != nil {
			one.origin, one.sent = n, one.on[n].entry().at-p.offsets[n]
			return
		}
	}
}

// inOrder sorts packets by when they were sent. Clocks of two nodes agree to some
// milliseconds at best, but what a node saw before it saw a packet for the first
// time was sent before it, and an answer is sent after what it answers: these
// count more than clocks.
func (p *path) inOrder(all []*packet) []*packet {
	for _, one := range all {
		p.place(one)
	}
	lists := map[int][]*packet{}
	for _, n := range p.order {
		for _, one := range all {
			if one.on[n] != nil {
				lists[n] = append(lists[n], one)
			}
		}
		slices.SortStableFunc(lists[n], func(a, b *packet) int {
			return cmp.Compare(a.on[n].entry().index, b.on[n].entry().index)
		})
	}
	questions := answered(all)
	done := map[*packet]bool{}
	var sorted []*packet
	for len(sorted) < len(all) {
		var ready, head *packet
		for _, n := range p.order {
			for len(lists[n]) > 0 && done[lists[n][0]] {
				lists[n] = lists[n][1:]
			}
			if len(lists[n]) == 0 {
				continue
			}
			one := lists[n][0]
			if head == nil || one.sent < head.sent {
				head = one
			}
			if q := questions[one]; one.origin != n || q != nil && !done[q] {
				continue
			}
			if ready == nil || one.sent < ready.sent {
				ready = one
			}
		}
		// Captures that contradict themselves are in the order of their clocks.
		next := cmp.Or(ready, head)
		done[next] = true
		sorted = append(sorted, next)
	}
	return sorted
}

// answered says for each packet which one it acknowledges: the first of the other
// direction that ends where its acknowledgment does.
func answered(all []*packet) map[*packet]*packet {
	type end struct {
		toServer bool
		seq      uint32
	}
	first := map[end]*packet{}
	for _, one := range all {
		if n := one.key.occupies(); n > 0 {
			e := end{one.key.toServer, one.key.seq + n}
			if first[e] == nil {
				first[e] = one
			}
		}
	}
	questions := map[*packet]*packet{}
	for _, one := range all {
		if one.key.hasAck {
			if q := first[end{!one.key.toServer, one.key.ack}]; q != nil {
				questions[one] = q
			}
		}
	}
	return questions
}

// occupies is how many sequence numbers a segment takes.
func (k key) occupies() uint32 {
	n := k.length
	for _, f := range k.flags {
		if f == 'S' || f == 'F' {
			n++
		}
	}
	return n
}
