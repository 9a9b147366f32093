package chart

import (
	"time"

	"labctl/internal/packets"
)

// arpClocks says for each capture how far its clock is ahead of that of the capture
// with the most kinds of packets, which is most often the asker's. Only kinds that
// both saw equally often tell something: of the others nobody knows which packet is
// which.
func arpClocks(captures []packets.Capture) []time.Duration {
	seen := make([]map[packets.ARP][]time.Duration, len(captures))
	reference := 0
	for n, c := range captures {
		seen[n] = map[packets.ARP][]time.Duration{}
		for _, p := range c.Packets {
			if p.ARP != nil {
				seen[n][*p.ARP] = append(seen[n][*p.ARP], p.Time)
			}
		}
		if len(seen[n]) > len(seen[reference]) {
			reference = n
		}
	}
	ahead := make([]time.Duration, len(captures))
	for n := range captures {
		var questions, answers apart
		for kind, at := range seen[n] {
			there := seen[reference][kind]
			if len(at) != len(there) {
				continue
			}
			for i := range at {
				if kind.Reply {
					answers.add(at[i] - there[i])
				} else {
					questions.add(at[i] - there[i])
				}
			}
		}
		ahead[n] = lagBetween(questions, answers).offset
	}
	return ahead
}
