package chart

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"labctl/internal/packets"
)

// maxAnswerers is for how many machines a chart of ARP has room.
const maxAnswerers = 8

// asking is one kind of ARP packet: the same question or the same answer.
type asking struct {
	packets.ARP
	at time.Duration
	// node says where it was seen to be sent; -1 if nowhere.
	node int
	// seen counts it at each place; a packet is at each of them once.
	seen map[string]int
}

func (a *asking) times() int {
	most := 0
	for _, n := range a.seen {
		most = max(most, n)
	}
	return most
}

// arp fills the chart with who asked for the first address and who answered.
func (c *Chart) arp(names []string, captures []packets.Capture) {
	all, target, others := askings(captures)
	if others > 0 {
		c.note("The first of %d addresses that were asked for: %s not drawn.", others+1, are(others, "other"))
	}
	lines := map[string]int{}
	line := func(id, name, detail string) {
		if _, ok := lines[id]; !ok && len(lines) < maxAnswerers {
			lines[id] = len(c.Lifelines)
			c.Lifelines = append(c.Lifelines, Lifeline{Name: name, Detail: detail})
		}
	}
	answerers := map[string]bool{}
	var asked []string
	for _, a := range all {
		if !a.Reply {
			line(a.Asker.String(), "asker", a.Asker.String())
			asked = append(asked, a.Asker.String())
		}
	}
	if len(asked) == 0 {
		line("", "asker", "not seen")
	}
	askers := len(lines)
	for _, a := range all {
		if a.MAC == "" {
			continue
		}
		if a.Reply {
			answerers[a.MAC] = true
		}
		// The node that sent it out is the machine.
		detail := ""
		for _, b := range all {
			if b.Reply && b.MAC == a.MAC && b.node >= 0 {
				detail = names[b.node]
			}
		}
		line(a.MAC, a.MAC, detail)
	}
	before := map[string]bool{} // machines that have answered
	undrawn := 0
	for _, a := range all {
		r := Row{Time: a.at - all[0].at, Times: a.times(), ToServer: !a.Reply}
		asker, askerDrawn := 0, true // an answer goes to the first that asks
		if !a.Reply {
			asker, askerDrawn = lines[a.Asker.String()]
		}
		machine, drawn := lines[a.MAC]
		switch {
		case !askerDrawn || (a.Reply || a.MAC != "") && !drawn:
			undrawn++
			continue
		case a.Reply:
			r.Words = fmt.Sprintf("%s is at %s", a.Target, a.MAC)
			r.Segments = []Segment{{From: machine, To: asker}}
			if before[a.MAC] = true; len(before) > 1 {
				r.Remarks = []Remark{{"another machine answers for the same address", true}}
			}
		case a.MAC != "":
			r.Words = fmt.Sprintf("are you still %s?", a.Target)
			r.Segments = []Segment{{From: asker, To: machine}}
		default:
			r.Words = fmt.Sprintf("who has %s?", a.Target)
			for to := askers; to < len(c.Lifelines); to++ {
				r.Segments = append(r.Segments, Segment{From: asker, To: to})
			}
		}
		c.Rows = append(c.Rows, r)
	}
	if askers > 1 && len(answerers) > 0 {
		c.note("The output does not tell which asker an answer went to: they are drawn to the first.")
	}
	if undrawn > 0 {
		c.note("%s not drawn: there are too many machines.", are(undrawn, "kind of packet"))
	}
	c.Rows = shorten(c.Rows)
	who := "Nobody was seen to ask"
	if len(asked) > 0 {
		slices.Sort(asked)
		who = strings.Join(slices.Compact(asked), ", ")
		who += map[bool]string{true: " asks", false: " ask"}[!strings.Contains(who, ",")]
	}
	c.Summary = fmt.Sprintf("%s for %s; %s.", who, target, howMany(len(answerers)))
}

func howMany(n int) string {
	switch n {
	case 0:
		return "nobody answers"
	case 1:
		return "one machine answers"
	}
	return fmt.Sprintf("%d machines answer", n)
}

// askings are the packets about the first address that is asked for, each kind
// once, in their order, and how many other addresses there are.
func askings(captures []packets.Capture) (all []*asking, target netip.Addr, others int) {
	kinds := map[packets.ARP]*asking{}
	var targets []*asking // the first of each address
	known := map[netip.Addr]*asking{}
	for n, c := range captures {
		for _, p := range c.Packets {
			if p.ARP == nil {
				continue
			}
			a := kinds[*p.ARP]
			if a == nil {
				a = &asking{ARP: *p.ARP, at: p.Time, node: -1, seen: map[string]int{}}
				kinds[*p.ARP] = a
				all = append(all, a)
			}
			a.at = min(a.at, p.Time)
			a.seen[fmt.Sprint(n, " ", p.Interface, " ", p.Way)]++
			if p.Way == packets.Out {
				a.node = n
			}
			if known[a.Target] == nil {
				known[a.Target] = a
				targets = append(targets, a)
			}
		}
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
