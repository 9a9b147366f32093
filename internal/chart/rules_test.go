package chart

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Addresses of the cases: the client's Pod, the Service, the server's Pod, and
// what the client's node makes of the client when it hides it.
var hosts = map[byte]string{'C': "10.244.0.5.41000", 'V': "10.96.0.9.9001", 'S': "10.244.1.4.9001", 'N': "10.10.10.130.5555"}

// text is what tcpdump prints of lines such as "0.5 veth1 In C>V S 1000 0 0": the
// time in milliseconds, interface and way ("- -" for none), who to whom, flags,
// sequence and acknowledgment number ("-" for none), length, and a stamp if there
// is one.
func text(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		f := strings.Fields(l)
		var ms float64
		if _, err := fmt.Sscan(f[0], &ms); err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "%.6f ", 1764500000+ms/1000)
		if f[1] != "-" {
			fmt.Fprintf(&b, "%s %-3s ", f[1], f[2])
		}
		fmt.Fprintf(&b, "IP %s > %s: Flags [%s]", hosts[f[3][0]], hosts[f[3][2]], f[4])
		if f[5] != "-" {
			b.WriteString(", seq " + f[5])
		}
		if f[6] != "-" {
			b.WriteString(", ack " + f[6])
		}
		b.WriteString(", win 500")
		if len(f) > 8 {
			b.WriteString(", options [nop,TS val " + f[8] + " ecr 0]")
		}
		b.WriteString(", length " + f[7] + "\n")
	}
	return b.String()
}

// handshake on both nodes, as captures have it; the worker's clock may be off.
func handshake(ahead float64) (cp, worker []string) {
	at := func(ms float64) string { return fmt.Sprintf("%.3f", ms+ahead) }
	cp = []string{
		"0 veth1 In C>V S 1000 - 0", "0.01 eth0 Out C>S S 1000 - 0",
		"1 eth0 In S>C S. 2000 1001 0", "1.01 veth1 Out V>C S. 2000 1001 0",
		"1.1 veth1 In C>V . - 2001 0", "1.11 eth0 Out C>S . - 2001 0",
	}
	worker = []string{
		at(0.3) + " eth0 In C>S S 1000 - 0", at(0.31) + " veth2 Out C>S S 1000 - 0",
		at(0.6) + " veth2 In S>C S. 2000 1001 0", at(0.61) + " eth0 Out S>C S. 2000 1001 0",
		at(1.4) + " eth0 In C>S . - 2001 0", at(1.41) + " veth2 Out C>S . - 2001 0",
	}
	return cp, worker
}

// on is the captures of both nodes, worker's first: the order of the sources says
// nothing about the path.
func on(cp, worker []string) []Source {
	return []Source{{Node: "worker", Text: text(worker...)}, {Node: "cp", Text: text(cp...)}}
}

// names are the lifelines', kinds the packets'.
func names(c Chart) string {
	var all []string
	for _, l := range c.Lifelines {
		all = append(all, strings.TrimSpace(l.Name+" "+l.Detail))
	}
	return strings.Join(all, " | ")
}

func kinds(c Chart) string {
	var all []string
	for _, r := range c.Rows {
		all = append(all, r.Words)
	}
	return strings.Join(all, " | ")
}

// way is how one packet goes.
func way(r Row) string {
	var all []string
	for _, s := range r.Segments {
		w := fmt.Sprintf("%d>%d", s.From, s.To)
		for _, flag := range []struct {
			set  bool
			word string
		}{{s.SourceChanged, "s"}, {s.DestinationChanged, "d"}, {s.NotRewritten, "!"}, {s.Dropped, "x"}, {s.Unseen, "?"}} {
			if flag.set {
				w += flag.word
			}
		}
		all = append(all, w)
	}
	return strings.Join(all, " ")
}

func remarks(r Row) string {
	var all []string
	for _, m := range r.Remarks {
		all = append(all, m.Text)
	}
	return strings.Join(all, "; ")
}

const whole = "client 10.244.0.5:41000 | cp | worker | server 10.244.1.4:9001"

// TestClocks: whatever the clocks say, packets are in the order in which they
// were sent, and nodes in that of the path.
func TestClocks(t *testing.T) {
	for _, ahead := range []float64{0, 20, -20, 0.5, -0.5, 3600_000, -3600_000} {
		cp, worker := handshake(ahead)
		sources := on(cp, worker)
		for range 2 {
			c := New("t", sources)
			assert.Equal(t, whole, names(c), ahead)
			assert.Equal(t, "SYN | SYN, ACK | ACK", kinds(c), ahead)
			assert.Equal(t, []string{"0>1 1>2d 2>3", "3>2 2>1 1>0s", "0>1 1>2d 2>3"}, []string{way(c.Rows[0]), way(c.Rows[1]), way(c.Rows[2])}, ahead)
			assert.Equal(t, "+0.650 ms", when(c.Rows[1].Time), "half of the way there and back, with clocks that are %v apart", ahead)
			assert.Empty(t, c.Notes)
			slices.Reverse(sources)
		}
	}
}

// TestClocksAlone: where nothing else tells the order of nodes, the way there and
// back does, and not whose clock is ahead.
func TestClocksAlone(t *testing.T) {
	for _, ahead := range []float64{0, 20, -20} {
		at := func(ms float64) string { return fmt.Sprintf("%.3f", ms+ahead) }
		sources := on([]string{"0 - - C>S S 1000 - 0", "1 - - S>C S. 2000 1001 0"}, []string{at(0.3) + " - - C>S S 1000 - 0", at(0.6) + " - - S>C S. 2000 1001 0"})
		for range 2 {
			assert.Equal(t, whole, names(New("t", sources)), ahead)
			slices.Reverse(sources)
		}
	}
}

// TestDays: clocks that do not even count from the same day are put right by
// packets of one direction.
func TestDays(t *testing.T) {
	later := []string{"3600000.3 eth0 In C>S S 1000 - 0", "3600000.4 veth2 Out C>S S 1000 - 0", "3600005 eth0 In C>S P. 1001:1008 2001 7", "3600005.1 veth2 Out C>S P. 1001:1008 2001 7"}
	c := New("t", on([]string{"0 veth1 In C>V S 1000 - 0", "0.1 eth0 Out C>S S 1000 - 0"}, later))
	require.Len(t, c.Rows, 2)
	assert.Equal(t, "+4.700 ms", when(c.Rows[1].Time))
}

// TestThreeNodes: a node in the middle may miss a packet.
func TestThreeNodes(t *testing.T) {
	cp, worker := handshake(1)
	middle := []string{"0.5 a In C>S S 1000 - 0", "0.6 b Out C>S S 1000 - 0", "1.1 b In S>C S. 2000 1001 0", "1.2 a Out S>C S. 2000 1001 0"}
	sources := append(on(cp, worker), Source{Node: "router", Text: text(middle...)})
	c := New("t", sources)
	assert.Equal(t, "client 10.244.0.5:41000 | cp | router | worker | server 10.244.1.4:9001", names(c))
	assert.Equal(t, "0>1 1>2d 2>3 3>4", way(c.Rows[0]))
	assert.Equal(t, "0>1 1>3d 3>4", way(c.Rows[2]), "it came through, seen or not")
}

func TestRules(t *testing.T) {
	hs, hw := handshake(0)
	add := func(list []string, more ...string) []string { return append(list[:len(list):len(list)], more...) }
	data := func(at string) string { return at + " veth1 In C>V P. 1001:1008 2001 7" }
	out := func(at string) string { return at + " eth0 Out C>S P. 1001:1008 2001 7" }
	in := func(at string) string { return at + " eth0 In C>S P. 1001:1008 2001 7" }
	last := func(at string) string { return at + " veth2 Out C>S P. 1001:1008 2001 7" }
	for _, c := range []struct {
		name    string
		sources []Source
		lines   string   // lifelines
		kinds   string   // packets; "" where it does not matter
		ways    []string // of the last packets
		remarks []string // of the same
		notes   string
	}{
		{name: "one way: rewriting tells the order of nodes, whatever the clocks say",
			sources: on([]string{"9 veth1 In C>V S 1000 - 0", "9.1 eth0 Out C>S S 1000 - 0"}, []string{"1 eth0 In C>S S 1000 - 0", "1.1 veth2 Out C>S S 1000 - 0"}),
			lines:   whole, ways: []string{"0>1 1>2d 2>3"}, remarks: []string{""}},
		{name: "one way: who made the packet is first",
			sources: on([]string{"9 eth0 Out C>S S 1000 - 0"}, []string{"1 eth0 In C>S S 1000 - 0", "1.1 veth2 Out C>S S 1000 - 0"}),
			lines:   "cp client 10.244.0.5:41000 | worker | server 10.244.1.4:9001", ways: []string{"0>1 1>2"}, remarks: []string{""}},
		{name: "one way: where the packet ends is last",
			sources: on([]string{"9 veth1 In C>S S 1000 - 0", "9.1 eth0 Out C>S S 1000 - 0"}, []string{"1 eth0 In C>S S 1000 - 0"}),
			lines:   whole, ways: []string{"0>1 1>2x"}, remarks: []string{"went into worker and did not come out"}},
		{name: "one way: at last the clocks tell",
			sources: on([]string{"1 - - C>S S 1000 - 0"}, []string{"2 - - C>S S 1000 - 0"}),
			lines:   whole, ways: []string{"0>1 1>2 2>3"}, remarks: []string{""}},
		{name: "answers alone",
			sources: on([]string{"5 eth0 In S>C S. 2000 1001 0", "5.1 veth1 Out V>C S. 2000 1001 0"}, []string{"6 veth2 In S>C S. 2000 1001 0", "6.1 eth0 Out S>C S. 2000 1001 0"}),
			lines:   "client 10.244.0.5:41000 | cp | worker | server 10.244.1.4:9001", ways: []string{"3>2 2>1 1>0s"}, remarks: []string{""},
			notes: "The captures have no SYN: sequence numbers count from the first that was seen."},
		{name: "dropped in the first node",
			sources: on(add(hs, data("2"), "2.01 cni0 In C>S P. 1001:1008 2001 7"), hw),
			lines:   whole, ways: []string{"0>1x"}, remarks: []string{"went into cp and did not come out"}},
		{name: "dropped in the second node",
			sources: on(add(hs, data("2"), out("2.01")), add(hw, in("2.3"))),
			lines:   whole, ways: []string{"0>1 1>2dx"}, remarks: []string{"went into worker and did not come out"}},
		{name: "not seen at the second node",
			sources: on(add(hs, data("2"), out("2.01")), hw),
			lines:   whole, ways: []string{"0>1 1>2d?"}, remarks: []string{"left cp and was not seen at worker"}},
		{name: "a node that missed what the next one saw",
			sources: on(hs, add(hw, in("2.3"), last("2.31"))),
			lines:   whole, ways: []string{"0>2 2>3"}, remarks: []string{""}},
		{name: "missed on its way out",
			sources: on(add(hs, data("2")), add(hw, in("2.3"), last("2.31"))),
			lines:   whole, ways: []string{"0>1 1>2d 2>3"}, remarks: []string{""}},
		{name: "sent again after it was dropped in the first node",
			sources: on(add(hs, data("2"), data("202"), out("202.01")), add(hw, in("202.3"), last("202.31"))),
			lines:   whole, kinds: "SYN | SYN, ACK | ACK | PSH, ACK | PSH, ACK", ways: []string{"0>1x", "0>1 1>2d 2>3"},
			remarks: []string{"went into cp and did not come out", "sent again: number 2"}},
		{name: "sent again after it was lost on the wire: the one on the second node is the nearer in time",
			sources: on(add(hs, data("2"), out("2.01"), data("202"), out("202.01")), add(hw, in("202.3"), last("202.31"))),
			lines:   whole, ways: []string{"0>1 1>2d?", "0>1 1>2d 2>3"}, remarks: []string{"left cp and was not seen at worker", "sent again: number 2"}},
		{name: "both arrive, the first late: the first is the first",
			sources: on(add(hs, data("2"), out("2.01"), data("202"), out("202.01")), add(hw, in("201"), last("201.01"), in("203"), last("203.01"))),
			lines:   whole, ways: []string{"0>1 1>2d 2>3", "0>1 1>2d 2>3"}, remarks: []string{"", "sent again: number 2"}},
		{name: "stamps tell a segment from its repetition",
			sources: on(add(hs, data("2")+" 70", out("2.01")+" 70", data("202")+" 270", out("202.01")+" 270"), add(hw, in("3")+" 270", last("3.01")+" 270")),
			lines:   whole, ways: []string{"0>1 1>2d?", "0>1 1>2d 2>3"}, remarks: []string{"left cp and was not seen at worker", "sent again: number 2"}},
		{name: "acknowledgments may come twice",
			sources: on(add(hs, "2 veth1 In C>V . - 2001 0", "2.01 eth0 Out C>S . - 2001 0"), add(hw, "2.3 eth0 In C>S . - 2001 0", "2.31 veth2 Out C>S . - 2001 0")),
			lines:   whole, ways: []string{"0>1 1>2d 2>3"}, remarks: []string{""}},
		{name: "the client is a process of the node",
			sources: on([]string{"0 eth0 Out C>S S 1000 - 0", "1 eth0 In S>C S. 2000 1001 0"}, hw[:4]),
			lines:   "cp client 10.244.0.5:41000 | worker | server 10.244.1.4:9001", ways: []string{"0>1 1>2", "2>1 1>0"}, remarks: []string{"", ""}},
		{name: "the server is a process of the node",
			sources: on(hs[:4], []string{"0.3 eth0 In C>S S 1000 - 0", "0.6 eth0 Out S>C S. 2000 1001 0"}),
			lines:   "client 10.244.0.5:41000 | cp | worker server 10.244.1.4:9001", ways: []string{"0>1 1>2d", "2>1 1>0s"}, remarks: []string{"", ""}},
		{name: "a node refuses",
			sources: []Source{{Node: "cp", Text: text("0 veth1 In C>V S 1000 - 0", "0.1 veth1 Out V>C R. 0 1001 0")}},
			lines:   "client 10.244.0.5:41000 | cp server 10.96.0.9:9001", ways: []string{"0>1", "1>0"}, remarks: []string{"", "reset by cp"}},
		{name: "a node on the way resets",
			sources: on(add(hs, data("2"), "2.1 veth1 Out V>C R 2001 - 0"), hw),
			lines:   whole, ways: []string{"0>1x", "1>0"}, remarks: []string{"went into cp and did not come out", "reset by cp"}},
		{name: "on one host over lo",
			sources: []Source{{Node: "cp", Text: text("0 lo In C>V S 1000 - 0", "0.1 lo In V>C S. 2000 1001 0")}},
			lines:   "client 10.244.0.5:41000 | cp | server 10.96.0.9:9001", ways: []string{"0>1 1>2", "2>1 1>0"}, remarks: []string{"", ""}},
		{name: "one interface tells nothing about drops",
			sources: on([]string{"0 - - C>S S 1000 - 0", "1 - - S>C S. 2000 1001 0"}, []string{"0.3 - - C>S S 1000 - 0", "0.6 - - S>C S. 2000 1001 0"}),
			lines:   whole, ways: []string{"0>1 1>2 2>3", "3>2 2>1 1>0"}, remarks: []string{"", ""}},
		{name: "the source is hidden on the way",
			sources: on([]string{"0 veth1 In C>V S 1000 - 0", "0.01 eth0 Out N>S S 1000 - 0", "1 eth0 In S>N S. 2000 1001 0", "1.01 veth1 Out V>C S. 2000 1001 0"},
				[]string{"0.3 eth0 In N>S S 1000 - 0", "0.31 veth2 Out N>S S 1000 - 0", "0.6 veth2 In S>N S. 2000 1001 0", "0.61 eth0 Out S>N S. 2000 1001 0"}),
			lines: whole, ways: []string{"0>1 1>2sd 2>3", "3>2 2>1 1>0sd"}, remarks: []string{"", ""}},
		{name: "not rewritten back",
			sources: on(add(hs, "3 eth0 In S>C P. 200002001:200002008 1001 7", "3.01 veth1 Out S>C P. 200002001:200002008 1001 7", "3.1 veth1 In C>S R 1001 - 0", "3.11 eth0 Out C>S R 1001 - 0"),
				add(hw, "2.8 veth2 In S>C P. 200002001:200002008 1001 7", "2.81 eth0 Out S>C P. 200002001:200002008 1001 7", "3.4 eth0 In C>S R 1001 - 0", "3.41 veth2 Out C>S R 1001 - 0")),
			lines: whole, ways: []string{"3>2 2>1 1>0!", "0>1 1>2 2>3"},
			remarks: []string{"not rewritten back: the client connected to 10.96.0.9:9001; next in sequence would be 1", "reset by the client; to an address that the client did not connect to"}},
		{name: "not rewritten back, where only the client's node captured",
			sources: []Source{{Node: "cp", Text: text("0 veth1 In C>V S 1000 - 0", "0.1 veth1 Out S>C P. 5:9 1001 4")}},
			lines:   "client 10.244.0.5:41000 | cp server 10.96.0.9:9001", ways: []string{"1>0!"}, remarks: []string{"not rewritten back: the client connected to 10.96.0.9:9001"}},
		{name: "dropped before it would have been wrong",
			sources: on(add(hs, "3 eth0 In S>C P. 2001:2008 1001 7"), add(hw, "2.8 veth2 In S>C P. 2001:2008 1001 7", "2.81 eth0 Out S>C P. 2001:2008 1001 7")),
			lines:   whole, ways: []string{"3>2 2>1x"}, remarks: []string{"went into cp and did not come out"}},
		{name: "answers go another way",
			sources: on(hs[:2], hw[:4]),
			lines:   whole, ways: []string{"0>1 1>2d 2>3", "3>2 2>0"}, remarks: []string{"", ""}},
		{name: "an answer comes after its question, whoever saw which",
			sources: on([]string{"5 veth1 In C>V S 1000 - 0", "5.1 eth0 Out C>S S 1000 - 0"}, []string{"0 veth2 In S>C S. 2000 1001 0", "0.1 eth0 Out S>C S. 2000 1001 0"}),
			lines:   "client 10.244.0.5:41000 | cp | worker | server 10.244.1.4:9001", kinds: "SYN | SYN, ACK", ways: []string{"3>2 2>0"}, remarks: []string{""}},
		{name: "what crosses on the way is in the order of sending",
			sources: on(add(hs, data("2"), out("2.01"), "2.5 eth0 In S>C P. 2001:2003 1001 2", "2.51 veth1 Out V>C P. 2001:2003 1001 2"),
				add(hw, "2.1 veth2 In S>C P. 2001:2003 1001 2", "2.11 eth0 Out S>C P. 2001:2003 1001 2", in("2.3"), last("2.31"))),
			lines: whole, ways: []string{"0>1 1>2d 2>3", "3>2 2>1 1>0s"}, remarks: []string{"", ""}},
		{name: "sent at the same time, the first is lost",
			sources: on(add(hs, "3 eth0 In S>C P. 2004:2006 1001 2", "3.1 veth1 Out V>C P. 2004:2006 1001 2"),
				add(hw, "2 veth2 In S>C P. 2001:2004 1001 3", "2 veth2 In S>C P. 2004:2006 1001 2", "2 eth0 Out S>C P. 2001:2004 1001 3", "2 eth0 Out S>C P. 2004:2006 1001 2")),
			lines: whole, ways: []string{"3>2 2>1?", "3>2 2>1 1>0s"}, remarks: []string{"left worker and was not seen at cp", ""}},
		{name: "what a node saw before comes before, whatever the clocks say",
			sources: on([]string{"10 veth1 In C>V S 1000 - 0", "10.1 eth0 Out C>S S 1000 - 0", "12 veth1 In C>V P. 1001:1008 2001 7", "12.1 eth0 Out C>S P. 1001:1008 2001 7"},
				[]string{"5.3 eth0 In C>S S 1000 - 0", "5.4 veth2 Out C>S S 1000 - 0", "7.3 eth0 In C>S P. 1001:1008 2001 7", "7.4 veth2 Out C>S P. 1001:1008 2001 7", "7.5 veth2 In S>C P. 2001:2003 1001 2", "7.6 eth0 Out S>C P. 2001:2003 1001 2"}),
			lines: whole, ways: []string{"0>1 1>2d 2>3", "0>1 1>2d 2>3", "3>2 2>0"}, remarks: []string{"", "", ""}},
		{name: "a repetition that is lost does not put the clocks wrong",
			sources: on([]string{"0 veth1 In C>S S 1000 - 0", "0.1 eth0 Out C>S S 1000 - 0", "1 eth0 In S>C S. 2000 1001 0", "1.1 veth1 Out S>C S. 2000 1001 0", "1000 veth1 In C>S S 1000 - 0", "1000.1 eth0 Out C>S S 1000 - 0"}, []string{
				"0.3 eth0 In C>S S 1000 - 0", "0.31 veth2 Out C>S S 1000 - 0", "0.6 veth2 In S>C S. 2000 1001 0", "0.61 eth0 Out S>C S. 2000 1001 0"}),
			lines: whole, kinds: "SYN | SYN, ACK | SYN", ways: []string{"3>2 2>1 1>0", "0>1 1>2?"}, remarks: []string{"", "left cp and was not seen at worker; sent again: number 2"}},
		{name: "an answer to the first of two is not an answer to the second",
			sources: on([]string{"5 veth1 In C>S S 1000 - 0", "5.1 eth0 Out C>S S 1000 - 0", "205 veth1 In C>S S 1000 - 0", "205.1 eth0 Out C>S S 1000 - 0"}, []string{"6 veth2 In S>C S. 2000 1001 0", "6.1 eth0 Out S>C S. 2000 1001 0"}),
			lines:   whole, kinds: "SYN | SYN, ACK | SYN", ways: []string{"0>1 1>3"}, remarks: []string{"sent again: number 2"}},
		{name: "a FIN is answered, too",
			sources: on([]string{"5 veth1 In C>S S 1000 - 0", "6 eth0 Out C>S S 1000 - 0", "7 veth1 In C>S F. 1001 2001 0", "7.1 eth0 Out C>S F. 1001 2001 0"}, []string{"5.5 veth2 In S>C S. 2000 1001 0", "5.6 eth0 Out S>C S. 2000 1001 0", "6.5 veth2 In S>C . - 1002 0", "6.6 eth0 Out S>C . - 1002 0"}),
			lines:   whole, kinds: "SYN | SYN, ACK | FIN, ACK | ACK", ways: []string{"3>2 2>0"}, remarks: []string{""}},
		{name: "a node resets the server in the client's name",
			sources: on(add(hs, "3 eth0 Out C>S R 1001 - 0"), add(hw, "3.3 eth0 In C>S R 1001 - 0", "3.31 veth2 Out C>S R 1001 - 0")),
			lines:   whole, ways: []string{"1>2 2>3"}, remarks: []string{"reset by cp"}},
		{name: "the first SYN does not come through: the way there and back tells more than where it ended",
			sources: on(append([]string{"-1000 veth1 In C>V S 1000 - 0 1"}, hs...), hw),
			lines:   whole, kinds: "SYN | SYN | SYN, ACK | ACK", ways: []string{"0>1 1>2d 2>3"}, remarks: []string{""}},
		{name: "both ends on one node",
			sources: []Source{{Node: "cp", Text: text("0 eth0 Out C>S S 1000 - 0", "1 eth0 Out S>C S. 2000 1001 0")}},
			lines:   "cp client 10.244.0.5:41000 | server 10.244.1.4:9001", kinds: "SYN", ways: []string{"0>1"}, remarks: []string{""}},
		{name: "what comes next counts from the furthest",
			sources: []Source{{Node: "cp", Text: text("0 v In C>S S 1000 - 0", "1 v In C>S P. 1001:1008 1 7", "2 v In C>S P. 1008:1010 1 2", "3 v In C>S P. 1001:1008 1 7", "4 v In C>S P. 90001008:90001010 1 2", "5 v In C>S P. 90001008:90001012 1 4")}},
			lines:   "client 10.244.0.5:41000 | cp | server 10.244.1.4:9001", ways: []string{"0>1x", "0>1x"},
			remarks: []string{"went into cp and did not come out; next in sequence would be 10", "went into cp and did not come out; next in sequence would be 10"}},
		{name: "the ports are used again",
			sources: on(add(hs, "50 veth1 In C>V S 7000 - 0", "50.1 eth0 Out C>S S 7000 - 0", "51 veth1 In C>V . - 9001 0"), hw),
			lines:   whole, kinds: "SYN | SYN, ACK | ACK", ways: []string{"0>1 1>2d 2>3"}, remarks: []string{""}, notes: "The first of 2 connections: 1 other is not drawn."},
		{name: "a node that saw nothing",
			sources: []Source{{Node: "cp", Text: text(hs...)}, {Node: "worker", Text: "listening on any\n"}},
			lines:   "client 10.244.0.5:41000 | cp | server 10.244.1.4:9001", ways: []string{"0>1 1>2d"}, remarks: []string{""},
			notes: "worker saw none of these packets. 1 line is no packet."},
	} {
		for range 2 {
			slices.Reverse(c.sources) // the order of the sources says nothing
			got := New("t", c.sources)
			assert.Equal(t, c.lines, names(got), c.name)
			if c.kinds != "" {
				assert.Equal(t, c.kinds, kinds(got), c.name)
			}
			require.GreaterOrEqual(t, len(got.Rows), len(c.ways), c.name)
			var ways, said []string
			for _, r := range got.Rows[len(got.Rows)-len(c.ways):] {
				ways, said = append(ways, way(r)), append(said, remarks(r))
			}
			assert.Equal(t, c.ways, ways, c.name)
			assert.Equal(t, c.remarks, said, c.name)
			assert.Equal(t, c.notes, strings.Join(got.Notes, " "), c.name)
		}
	}
}
