package chart

import (
	"fmt"
	"slices"
	"strings"

	"labctl/internal/packets"
)

// maxAnswerers is for how many machines a chart of ARP has room.
const maxAnswerers = 8

// parties are the lifelines of a chart of ARP: who asks, then who answers or is
// asked, then the nodes that hear and say nothing.
type parties struct {
	*Chart
	// by finds a lifeline by the asker's address, the machine's MAC, or "node N".
	by map[string]int
	// askers is how many of them ask.
	askers int
	// of is the lifeline of a node.
	of map[int]int
	// only is the one machine whose MAC is known; -1 if there are none or several.
	only int
}

func (p *parties) add(id, name, detail string) {
	if _, ok := p.by[id]; !ok && len(p.by) < maxAnswerers {
		p.by[id] = len(p.Lifelines)
		p.Lifelines = append(p.Lifelines, Lifeline{Name: name, Detail: detail})
	}
}

// at notes that a node is the machine of a lifeline.
func (p *parties) at(node int, id string) {
	if i, ok := p.by[id]; ok && node >= 0 {
		if _, ok := p.of[node]; !ok {
			p.of[node] = i
		}
	}
}

// others are all lifelines from the first on, but for one.
func (p *parties) others(first, but int) []Segment {
	var all []Segment
	for to := first; to < len(p.Lifelines); to++ {
		if to != but {
			all = append(all, Segment{From: but, To: to})
		}
	}
	return all
}

const announcer = "announcer"

// parties finds who takes part.
func (c *Chart) parties(names []string, all []*asking) *parties {
	p := &parties{Chart: c, by: map[string]int{}, of: map[int]int{}, only: -1}
	answered, asked := false, false
	for _, a := range all {
		answered = answered || a.Reply && !a.told
		if !a.Reply && !a.told {
			asked = true
			p.add(a.Asker.String(), "asker", a.Asker.String())
			p.at(a.node, a.Asker.String())
		}
	}
	if answered && !asked {
		p.add("", "asker", "not seen")
	}
	p.askers = len(p.by)
	for _, a := range all {
		if a.MAC == "" {
			continue
		}
		// The node that sent it out is the machine.
		detail := ""
		for _, b := range all {
			if b.Reply && b.MAC == a.MAC && b.node >= 0 {
				detail = names[b.node]
			}
		}
		p.add(a.MAC, a.MAC, detail)
		if a.Reply {
			p.at(a.node, a.MAC)
		}
	}
	if len(p.by) == p.askers+1 {
		p.only = p.askers
	}
	for _, a := range all {
		// Its packet does not tell who it is, where nobody has answered.
		if _, known := p.of[a.node]; a.told && !a.Reply && !known {
			name := ""
			if a.node >= 0 {
				name = names[a.node]
			}
			if p.machine(a) < 0 {
				p.add(announcer, announcer, name)
				p.at(a.node, announcer)
			}
		}
	}
	silent := map[bool]string{true: "no answer seen"}[asked]
	for n, name := range names {
		heard := slices.ContainsFunc(all, func(a *asking) bool { return slices.Contains(a.heard, n) })
		if _, known := p.of[n]; heard && !known {
			id := fmt.Sprint("node ", n)
			p.add(id, name, silent)
			p.at(n, id)
		}
	}
	if len(p.Lifelines) == p.askers || len(p.Lifelines) == 1 {
		p.add("everybody", "everybody", silent)
	}
	return p
}

// machine is the lifeline of who sent an answer, or tells unasked; -1 if there is
// no room for it.
func (p *parties) machine(a *asking) int {
	if a.MAC != "" {
		if i, ok := p.by[a.MAC]; ok {
			return i
		}
		return -1
	}
	if i, ok := p.of[a.node]; ok {
		return i
	}
	if i, ok := p.by[announcer]; ok {
		return i
	}
	if a.node < 0 {
		return p.only
	}
	return -1
}

// arp fills the chart with who asked for the first address and who answered.
func (c *Chart) arp(names []string, captures []packets.Capture) {
	all, target, others := askings(captures)
	if others > 0 {
		c.note("The first of %d addresses that were asked for: %s not drawn.", others+1, are(others, "other"))
	}
	p := c.parties(names, all)
	machines := map[string]bool{} // that have answered, or told unasked
	undrawn, answers, told := 0, 0, false
	var asked []string
	for _, a := range all {
		r := Row{Time: a.at - all[0].at, Times: a.times, ToServer: !a.Reply, Told: a.told}
		if a.Reply {
			r.Words = fmt.Sprintf("%s is at %s", a.Target, a.MAC)
			if machines[a.MAC] = true; len(machines) > 1 {
				r.Remarks = []Remark{{"another machine answers for the same address", true}}
			}
		}
		from, drawn := p.by[a.Asker.String()]
		if a.Reply || a.told {
			from = p.machine(a)
			drawn = from >= 0
		} else {
			asked = append(asked, a.Asker.String())
		}
		switch {
		case a.told && !a.Reply:
			r.Words = fmt.Sprintf("%s is mine", a.Target)
			r.Segments = p.others(0, from)
			told = true
		case a.told:
			r.Segments = p.others(0, from)
			told = true
		case a.Reply:
			r.Segments = []Segment{{From: from}} // an answer goes to the first that asks
			answers++
		case a.MAC != "" || a.to >= 0:
			r.Words = fmt.Sprintf("are you still %s?", a.Target)
			to, ok := p.by[a.MAC]
			if a.to >= 0 {
				to, ok = p.of[a.to]
			}
			drawn = drawn && ok
			r.Segments = []Segment{{From: from, To: to}}
		default:
			r.Words = fmt.Sprintf("who has %s?", a.Target)
			for to := p.askers; to < len(c.Lifelines); to++ {
				r.Segments = append(r.Segments, Segment{From: from, To: to})
			}
		}
		if !drawn {
			undrawn++
			continue
		}
		c.Rows = append(c.Rows, r)
	}
	if p.askers > 1 && answers > 0 {
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
	does := howMany(len(machines), "answers", "answer")
	if told && answers == 0 {
		does = howMany(max(1, len(machines)), "tells everybody that it is there", "tell everybody that it is there")
	}
	c.Summary = fmt.Sprintf("%s for %s; %s.", who, target, does)
}

func howMany(n int, does, do string) string {
	switch n {
	case 0:
		return "nobody " + does
	case 1:
		return "one machine " + does
	}
	return fmt.Sprintf("%d machines %s", n, do)
}
