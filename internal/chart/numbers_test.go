package chart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNumbers: sequence and acknowledgment numbers count from the initial ones.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"a conversation",
			[]string{"0 v In C>V S 1000 - 0", "1 v Out V>C S. 2000 1001 0", "2 v In C>V . - 2001 0", "3 v In C>V P. 1001:1008 2001 7", "4 v Out V>C F. 2001 1008 0"},
			[]string{"SYN seq 0", "SYN, ACK seq 0 ack 1", "ACK ack 1", "PSH, ACK seq 1 ack 1 len 7", "FIN, ACK seq 1 ack 8"}},
		{"around the end of the numbers",
			[]string{"0 v In C>V S 4294967290 - 0", "1 v Out V>C S. 4294967295 4294967291 0", "2 v In C>V P. 4294967291:12 0 17"},
			[]string{"SYN seq 0", "SYN, ACK seq 0 ack 1", "PSH, ACK seq 1 ack 1 len 17"}},
		{"a probe before the next number",
			[]string{"0 v In C>V S 1000 - 0", "1 v Out V>C S. 2000 1001 0", "2 v In C>V . 999 2001 0"},
			[]string{"SYN seq 0", "SYN, ACK seq 0 ack 1", "ACK seq -1 ack 1"}},
		{"a port that nobody listens on",
			[]string{"0 v In C>V S 1000 - 0", "1 v Out V>C R. 0 1001 0"},
			[]string{"SYN seq 0", "RST, ACK seq 0 ack 1"}},
		{"an answer without its SYN",
			[]string{"0 v In C>V S 1000 - 0", "1 v In C>V P. 1001:1003 2001 2", "2 v Out V>C . 2001 1003 0"},
			[]string{"SYN seq 0", "PSH, ACK seq 1 ack 1 len 2", "ACK seq 1 ack 3"}},
		{"from the middle",
			[]string{"0 v In C>V P. 1001:1003 2001 2", "1 v Out V>C . - 1003 0"},
			[]string{"PSH, ACK seq 1 ack 1 len 2", "ACK ack 3"}},
		{"an old connection's reset first",
			[]string{"0 v Out V>C R 77 - 0", "1 v In C>V . - 2001 0"},
			[]string{"RST seq 1", "ACK ack 1925"}},
		{"flags that are rare", []string{"0 v In C>V SEW 1000 - 0", "1 v Out V>C none - - 0", "2 v In C>V U. 1001 1 1"}, []string{"SYN, ECE, CWR seq 0", "no flags ", "URG, ACK seq 1 ack 1 len 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, r := range New("t", []Source{{Node: "cp", Text: text(c.lines...)}}).Rows {
				got = append(got, r.Words+" "+r.numbers())
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestPorts(t *testing.T) {
	c := New("t", []Source{{Node: "cp", Text: text("0 v In C>V S 1000 - 0", "0.1 e Out N>S S 1000 - 0")}})
	assert.True(t, c.Ports)
	left, right := c.ends(c.Rows[0].Segments[1])
	assert.Equal(t, "10.10.10.130:5555 10.244.1.4:9001", left.text+" "+right.text)
	c = New("t", []Source{{Node: "cp", Text: text("0 v In C>V S 1000 - 0", "0.1 e Out C>S S 1000 - 0")}})
	assert.False(t, c.Ports)
	left, right = c.ends(c.Rows[0].Segments[1])
	assert.Equal(t, "10.244.0.5 10.244.1.4", left.text+" "+right.text)
	assert.True(t, right.changed)
	c.Rows[0].Segments[1].From, c.Rows[0].Segments[1].To = 2, 1
	left, _ = c.ends(c.Rows[0].Segments[1])
	assert.Equal(t, "10.244.1.4", left.text, "the left one is the one on the left")
}

func TestTimes(t *testing.T) {
	c := New("t", []Source{{Node: "cp", Text: text("0 v In C>V S 1000 - 0", "9.5 v Out V>C S. 2000 1001 0", "50.2 v In C>V . - 2001 0", "2500 v In C>V R 1001 - 0")}})
	var got []string
	for _, r := range c.Rows {
		got = append(got, when(r.Time))
	}
	assert.Equal(t, []string{"0 ms", "+9.500 ms", "+50.2 ms", "+2.500 s"}, got)
}

// TestIncomplete: what is not in the record may have been there.
func TestIncomplete(t *testing.T) {
	cp, worker := handshake(0)
	cp = append(cp, "2 veth1 In C>V P. 1001:1008 2001 7", "9 veth1 In C>V P. 1008:1010 2001 2", "9.1 eth0 Out C>S P. 1008:1010 2001 2")
	sources := on(cp, worker)
	assert.True(t, New("t", sources).marks().dropped)
	sources[1].Elided = 4096
	c := New("t", sources)
	assert.Equal(t, marks{rewritten: true}, c.marks())
	assert.Equal(t, []string{
		"Of the output of cp, 4096 bytes in the middle are not in the record.",
		"So a packet that is not seen somewhere may have been there: no loss is marked.",
	}, c.Notes)

	long := text(append(cp, strings.Split(strings.Repeat("20 veth1 In C>V . - 2001 0|", 4000), "|")[:4000]...)...)
	c = New("t", []Source{{Node: "cp", Text: long}})
	assert.Contains(t, strings.Join(c.Notes, " "), "Of the packets on cp, the last 9 are left out. So a packet")
	assert.Len(t, withoutGaps(c.Rows), maxRows)
}

func withoutGaps(rows []Row) []Row {
	var all []Row
	for _, r := range rows {
		if r.Left == 0 {
			all = append(all, r)
		}
	}
	return all
}

// TestShorten: of many packets the first, the last and those of interest stay.
func TestShorten(t *testing.T) {
	lines := []string{"0 v In C>V S 1000 - 0", "1 v Out V>C S. 2000 1001 0"}
	for i := range 200 {
		lines = append(lines, fmt.Sprintf("%d v In C>V P. %d:%d 2001 1", i+2, 1001+i, 1002+i))
		if i == 120 {
			lines = append(lines, "122.5 v Out V>C R 2001 - 0")
		}
	}
	c := New("t", []Source{{Node: "cp", Text: text(lines...)}})
	require.Len(t, withoutGaps(c.Rows), maxRows)
	total := 0
	for _, r := range c.Rows {
		total += max(1, r.Left)
	}
	assert.Equal(t, 203, total, "each packet is drawn or counted")
	assert.Equal(t, "SYN", c.Rows[0].Words)
	assert.Equal(t, int64(200), c.Rows[len(c.Rows)-1].Seq)
	assert.Contains(t, kinds(c), "|  | RST |  |", "with a gap on both sides")
	for _, drawing := range []string{c.Text(), c.SVG()} {
		assert.True(t, strings.Contains(drawing, "… 82 packets are not drawn …"))
	}
	assert.Len(t, New("t", []Source{{Node: "cp", Text: text(lines[:maxRows]...)}}).Rows, maxRows)
}

func TestNothing(t *testing.T) {
	for _, sources := range [][]Source{nil, {{Node: "cp"}}, {{Node: "cp", Text: "\n"}}} {
		c := New("t", sources)
		assert.Equal(t, Chart{Title: "t", Notes: []string{nothing}}, c)
		assert.Empty(t, c.SVG())
		assert.Equal(t, "t\nThere is nothing to draw: the output has no TCP or ARP packet as tcpdump prints it.\n", c.Text())
	}
	c := New("", []Source{{Node: "cp", Text: "InErrs 1\nInErrs 2\n1.5 IP 10.0.0.1.53 > 10.0.0.2.5: UDP, length 3\n", Elided: 3}})
	assert.Equal(t, []string{nothing, "Of the output of cp, 3 bytes in the middle are not in the record.", "1 packet is neither TCP nor ARP.", "2 lines are no packet."}, c.Notes)
}
