package chart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func arpText(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%s, length 46\n", l)
	}
	return b.String()
}

func said(c Chart) []string {
	var all []string
	for _, r := range c.Rows {
		all = append(all, strings.TrimRight(strings.Join([]string{r.name(), r.Words, way(r), remarks(r)}, "; "), "; "))
	}
	return all
}

func TestARP(t *testing.T) {
	const ask = "1.0 e B   ARP, Request who-has 10.0.0.200 tell 10.0.0.9"
	reply := func(at, way, mac string) string { return at + " e " + way + " ARP, Reply 10.0.0.200 is-at " + mac }
	const a, b = "52:54:00:00:00:0a", "52:54:00:00:00:0b"
	// The same question as its sender sees it, and as the one does who alone is asked.
	out, one := strings.Replace(ask, "B  ", "Out", 1), strings.Replace(ask, "B  ", "In ", 1)
	mine := func(way string) string {
		return "1.0 e " + way + " ARP, Request who-has 10.0.0.200 (ff:ff:ff:ff:ff:ff) tell 10.0.0.200"
	}
	for _, c := range []struct {
		name    string
		sources []Source
		lines   string
		summary string
		said    []string
		notes   string
	}{
		{name: "two answer, and both nodes saw all",
			sources: []Source{
				{Node: "cp", Text: arpText(ask, reply("1.1", "Out", a), reply("1.2", "In ", b), strings.Replace(ask, "1.0", "2.0", 1), reply("2.1", "Out", a))},
				{Node: "worker", Text: arpText(ask, reply("1.1", "In ", a), reply("1.2", "Out", b), strings.Replace(ask, "1.0", "2.0", 1), reply("2.1", "In ", a))},
			},
			lines: "asker 10.0.0.9 | " + a + " cp | " + b + " worker", summary: "10.0.0.9 asks for 10.0.0.200; 2 machines answer.",
			said: []string{"asks twice; who has 10.0.0.200?; 0>1 0>2", "answers twice; 10.0.0.200 is at " + a + "; 1>0",
				"answers once; 10.0.0.200 is at " + b + "; 2>0; another machine answers for the same address"}},
		{name: "nobody answers", sources: []Source{{Node: "cp", Text: arpText(ask)}},
			lines: "asker 10.0.0.9 | cp no answer seen", summary: "10.0.0.9 asks for 10.0.0.200; nobody answers.", said: []string{"asks once; who has 10.0.0.200?; 0>1"}},
		{name: "nobody was seen to hear", sources: []Source{{Node: "client", Text: arpText(out)}},
			lines: "asker 10.0.0.9 | everybody no answer seen", summary: "10.0.0.9 asks for 10.0.0.200; nobody answers.", said: []string{"asks once; who has 10.0.0.200?; 0>1"}},
		{name: "first one machine is asked, which keeps silent, then all",
			sources: []Source{
				{Node: "client", Text: arpText(out, out, out, out, reply("1.4", "In ", b))},
				{Node: "cp", Text: arpText(one, one, one, strings.Replace(ask, "1.0", "1.3", 1))},
				{Node: "worker", Text: arpText(strings.Replace(ask, "1.0", "1.3", 1), reply("1.4", "Out", b))},
			},
			lines: "asker 10.0.0.9 | " + b + " worker | cp no answer seen", summary: "10.0.0.9 asks for 10.0.0.200; one machine answers.",
			said: []string{"asks 3 times; are you still 10.0.0.200?; 0>2", "asks once; who has 10.0.0.200?; 0>1 0>2", "answers once; 10.0.0.200 is at " + b + "; 1>0"}},
		{name: "the machine that is asked answers, and nobody else hears",
			sources: []Source{
				{Node: "client", Text: arpText(out, reply("1.1", "In ", a))},
				{Node: "cp", Text: arpText(one, reply("1.1", "Out", a))},
				{Node: "worker"},
			},
			lines: "asker 10.0.0.9 | " + a + " cp", summary: "10.0.0.9 asks for 10.0.0.200; one machine answers.",
			said: []string{"asks once; are you still 10.0.0.200?; 0>1", "answers once; 10.0.0.200 is at " + a + "; 1>0"}},
		{name: "a machine tells everybody unasked",
			sources: []Source{
				{Node: "client", Text: arpText(mine("B  "), reply("1.1", "B  ", b), mine("B  "), reply("2.1", "B  ", b))},
				{Node: "worker", Text: arpText(mine("Out"), reply("1.1", "Out", b), mine("Out"), reply("2.1", "Out", b))},
			},
			lines: b + " worker | client", summary: "Nobody was seen to ask for 10.0.0.200; one machine tells everybody that it is there.",
			said: []string{"tells everybody twice; 10.0.0.200 is mine; 0>1", "tells everybody twice; 10.0.0.200 is at " + b + "; 0>1"}},
		{name: "a machine tells everybody, and listens to nothing itself",
			sources: []Source{{Node: "client", Text: arpText(mine("B  "), reply("1.1", "B  ", b))}, {Node: "cp", Text: arpText(mine("B  "), reply("1.1", "B  ", b))}},
			lines:   b + " | client | cp", summary: "Nobody was seen to ask for 10.0.0.200; one machine tells everybody that it is there.",
			said: []string{"tells everybody once; 10.0.0.200 is mine; 0>1 0>2", "tells everybody once; 10.0.0.200 is at " + b + "; 0>1 0>2"}},
		{name: "a machine tells unasked, and nobody else listens",
			sources: []Source{{Node: "worker", Text: arpText(mine("Out"))}},
			lines:   "announcer worker | everybody", summary: "Nobody was seen to ask for 10.0.0.200; one machine tells everybody that it is there.",
			said: []string{"tells everybody once; 10.0.0.200 is mine; 0>1"}},
		{name: "a machine tells unasked, and then is asked",
			sources: []Source{{Node: "client", Text: arpText(mine("B  "), reply("1.1", "B  ", b), strings.Replace(out, "1.0", "3.0", 1), reply("3.1", "In ", b))}},
			lines:   "asker 10.0.0.9 | " + b, summary: "10.0.0.9 asks for 10.0.0.200; one machine answers.",
			said: []string{"tells everybody once; 10.0.0.200 is mine; 1>0", "tells everybody once; 10.0.0.200 is at " + b + "; 1>0",
				"asks once; who has 10.0.0.200?; 0>1", "answers once; 10.0.0.200 is at " + b + "; 1>0"}},
		{name: "asked of one machine",
			sources: []Source{{Node: "cp", Text: arpText(strings.Replace(ask, " tell", " ("+a+") tell", 1), reply("1.1", "Out", a))}},
			lines:   "asker 10.0.0.9 | " + a + " cp", summary: "10.0.0.9 asks for 10.0.0.200; one machine answers.",
			said: []string{"asks once; are you still 10.0.0.200?; 0>1", "answers once; 10.0.0.200 is at " + a + "; 1>0"}},
		{name: "nobody was seen to ask", sources: []Source{{Node: "cp", Text: arpText(reply("1.1", "In ", a))}},
			lines: "asker not seen | " + a, summary: "Nobody was seen to ask for 10.0.0.200; one machine answers.", said: []string{"answers once; 10.0.0.200 is at " + a + "; 1>0"}},
		{name: "two ask, for two addresses",
			sources: []Source{{Node: "cp", Text: arpText(ask, "1.1 e B   ARP, Request who-has 10.0.0.200 tell 10.0.0.8", "1.2 e B   ARP, Request who-has 10.0.0.1 tell 10.0.0.9", reply("1.3", "In ", a))}},
			lines:   "asker 10.0.0.9 | asker 10.0.0.8 | " + a + " | cp no answer seen", summary: "10.0.0.8, 10.0.0.9 ask for 10.0.0.200; one machine answers.",
			said:  []string{"asks once; who has 10.0.0.200?; 0>2 0>3", "asks once; who has 10.0.0.200?; 1>2 1>3", "answers once; 10.0.0.200 is at " + a + "; 2>0"},
			notes: "The first of 2 addresses that were asked for: 1 other is not drawn. The output does not tell which asker an answer went to: they are drawn to the first."},
		{name: "clocks that differ by more than an answer takes",
			sources: []Source{
				{Node: "worker", Text: arpText(strings.Replace(ask, "1.0", "0.9", 1), reply("0.92", "Out", b))},
				{Node: "cp", Text: arpText(strings.Replace(ask, "1.0", "0.7", 1), reply("0.71", "Out", a))},
				{Node: "client", Text: arpText(out, reply("1.01", "In ", a), reply("1.02", "In ", b))},
			},
			lines: "asker 10.0.0.9 | " + a + " cp | " + b + " worker", summary: "10.0.0.9 asks for 10.0.0.200; 2 machines answer.",
			said: []string{"asks once; who has 10.0.0.200?; 0>1 0>2", "answers once; 10.0.0.200 is at " + a + "; 1>0",
				"answers once; 10.0.0.200 is at " + b + "; 2>0; another machine answers for the same address"}},
		{name: "an answer that a clock puts before its question is none",
			sources: []Source{{Node: "cp", Text: arpText(reply("1.0", "Out", a))}, {Node: "worker", Text: arpText(ask)}},
			lines:   "asker 10.0.0.9 | " + a + " cp | worker no answer seen", summary: "10.0.0.9 asks for 10.0.0.200; one machine answers.",
			said: []string{"asks once; who has 10.0.0.200?; 0>1 0>2", "answers once; 10.0.0.200 is at " + a + "; 1>0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := New("t", c.sources)
			assert.Equal(t, c.lines, names(got))
			assert.Equal(t, c.summary, got.Summary)
			assert.Equal(t, c.said, said(got))
			assert.Equal(t, c.notes, strings.Join(got.Notes, " "))
			assert.NotPanics(t, func() { got.Text() })
			assert.NotPanics(t, func() { got.SVG() })
		})
	}
}

func TestARPBesideTCP(t *testing.T) {
	c := New("t", []Source{{Node: "cp", Text: arpText("1.0 e B   ARP, Request who-has 10.0.0.200 tell 10.0.0.9") + text("0 v In C>V S 1000 - 0")}})
	assert.Equal(t, "SYN", kinds(c))
	assert.Equal(t, []string{"1 packet is of ARP not drawn."}, c.Notes)
}

// One for whom there is no room is told, and not taken for another.
func TestManyAskers(t *testing.T) {
	var lines []string
	for i := range maxAnswerers + 1 {
		lines = append(lines, fmt.Sprintf("1.%d e B   ARP, Request who-has 10.0.0.200 tell 10.0.0.%d", i, i+1))
	}
	c := New("t", []Source{{Node: "cp", Text: arpText(lines...)}})
	assert.Len(t, c.Rows, maxAnswerers)
	assert.Equal(t, []string{"1 kind of packet is not drawn: there are too many machines."}, c.Notes)
}

func TestManyMachines(t *testing.T) {
	lines := []string{"1.0 e B   ARP, Request who-has 10.0.0.200 tell 10.0.0.9"}
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("1.1 e In  ARP, Reply 10.0.0.200 is-at 52:54:00:00:%02x:%02x", i/256, i%256))
		lines = append(lines, fmt.Sprintf("1.2 e B   ARP, Request who-has 10.0.0.200 tell 10.0.%d.%d", i/256, i%256))
	}
	c := New("t", []Source{{Node: "cp", Text: arpText(lines...)}})
	assert.LessOrEqual(t, len(c.Lifelines), maxAnswerers)
	assert.LessOrEqual(t, len(withoutGaps(c.Rows)), maxRows)
	assert.Contains(t, strings.Join(c.Notes, " "), "there are too many machines.")
	for _, r := range c.Rows {
		for _, s := range r.Segments {
			assert.Less(t, max(s.From, s.To), len(c.Lifelines))
		}
	}
}
