package chart

import (
	"slices"
	"time"

	"labctl/internal/packets"
)

// arpWay is how long a packet may be on its way between two nodes. Two captures that
// differ by less may have the same clock, as those of network namespaces do.
const arpWay = time.Millisecond

// arpClocks says for each capture how far its clock is ahead of that of the capture
// with the most kinds of packets, which is most often the asker's. The clocks of
// emulated nodes may differ by more than an answer takes. Only kinds that both saw
// equally often tell something: of the others nobody knows which packet is which.
// Without one, the clocks are taken to agree.
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
		var all []time.Duration
		for kind, at := range seen[n] {
			there := seen[reference][kind]
			for i := range at {
				if len(at) == len(there) {
					all = append(all, at[i]-there[i])
				}
			}
		}
		slices.Sort(all)
		if len(all) > 0 && all[len(all)/2].Abs() > arpWay {
			ahead[n] = all[len(all)/2]
		}
	}
	return ahead
}
