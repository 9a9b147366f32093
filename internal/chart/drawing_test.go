package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sound holds a drawing to what any drawing must be, whatever was captured.
func sound(t *testing.T, c Chart) {
	t.Helper()
	svg := c.SVG()
	d := xml.NewDecoder(strings.NewReader(svg))
	elements := []string{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, "%.3000s", svg)
		if e, ok := token.(xml.StartElement); ok {
			elements = append(elements, e.Name.Local)
			for _, a := range e.Attr {
				// The page's policy forbids styles, and nothing leads anywhere.
				require.NotContains(t, []string{"style", "href", "src", "id"}, a.Name.Local)
				require.False(t, strings.HasPrefix(a.Name.Local, "on"), a.Name.Local)
			}
		}
	}
	for _, e := range elements {
		require.Contains(t, []string{"svg", "title", "rect", "line", "path", "text", "tspan"}, e)
	}
	require.Equal(t, svg == "", len(c.Rows) == 0 || len(c.Lifelines) < 2)
	require.Less(t, len(svg), 256<<10)
	text := c.Text()
	require.Less(t, len(text), 64<<10)
	for _, l := range strings.Split(text, "\n") {
		require.LessOrEqual(t, len([]rune(l)), textWidth, l)
	}
	for _, r := range text + svg + c.Label() {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("%q", r)
		}
	}
	require.NotEmpty(t, text)
	var last time.Duration
	for _, r := range c.Rows {
		if r.Left == 0 {
			require.GreaterOrEqual(t, r.Time, last)
			last = r.Time
		}
		for _, s := range r.Segments {
			require.Less(t, max(s.From, s.To), len(c.Lifelines))
			require.NotEqual(t, s.From, s.To)
		}
	}
}

func TestRecordedDrawings(t *testing.T) {
	for _, name := range []string{"plain", "reset", "several", "arp"} {
		sound(t, New("A title", recorded(t, name)))
	}
}

// TestReset: what the lesson is about jumps to the eye, and not by its colour.
func TestReset(t *testing.T) {
	c := New("The <reset> & more", recorded(t, "reset"))
	svg := c.SVG()
	assert.Contains(t, svg, `<title>The &lt;reset&gt; &amp; more</title>`)
	assert.Contains(t, svg, `aria-label="The &lt;reset&gt; &amp; more. 10.244.0.5:55176 connects to 10.96.0.9:9001. PSH, ACK: not rewritten back: the client connected to 10.96.0.9:9001. RST: reset by the client. RST: reset by the server"`)
	assert.Equal(t, 1, strings.Count(svg, `<tspan class="odd">10.244.1.4</tspan>`), "one address is wrong, at one place")
	assert.Equal(t, 1, strings.Count(svg, `<line class="shaft wrong"`))
	assert.Equal(t, 2, strings.Count(svg, `<rect class="band"`), "two resets")
	assert.Equal(t, 6, strings.Count(svg, `<line class="shaft reset"`), "each on three parts of its way")
	assert.Equal(t, 5, strings.Count(svg, `<tspan class="changed">`))
	assert.Equal(t, 5+1, strings.Count(svg, `<path class="nat"`), "a sign at each, and the key")
	assert.Contains(t, svg, "seq 200000001 ack 1 len 7")
	assert.Contains(t, svg, "▲ not rewritten back: the client connected to 10.96.0.9:9001")
	assert.Contains(t, svg, "should have been rewritten here, and was not")
	assert.NotContains(t, svg, "cross")
	txt := c.Text()
	assert.Contains(t, txt, "|<-10.244.0.5<!10.244.1.4!-|")
	assert.Contains(t, txt, "*** RST ***")
	assert.Contains(t, txt, "!! reset by the client")
}

func TestDroppedAndUnseen(t *testing.T) {
	cp, worker := handshake(0)
	cp = append(cp, "2 veth1 In C>V P. 1001:1008 2001 7", "3 veth1 In C>V F. 1008 2001 0", "3.1 eth0 Out C>S F. 1008 2001 0")
	c := New("t", on(cp, worker))
	sound(t, c)
	svg := c.SVG()
	assert.Equal(t, 2+2, strings.Count(svg, `<path class="cross"`), "both, and the key of both")
	assert.Equal(t, 1, strings.Count(svg, `<line class="shaft lost"`))
	lines := strings.Split(c.Text(), "\n")
	arrows := lines[slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "PSH, ACK") })+1:]
	assert.Equal(t, "        |--10.244.0.5>10.96.0.9---X|                          |                          |", arrows[0])
	arrow := arrows[slices.IndexFunc(arrows, func(l string) bool { return strings.Contains(l, "FIN, ACK") })+1]
	assert.Regexp(t, `^ {8}\|-+10\.244\.0\.5>10\.96\.0\.9-+>\|-\S+X {12,14}\| {26}\|$`, arrow)
	assert.Contains(t, c.Text(), "X at a lifeline: the packet went in there and did not come out")
}

// TestWide: long addresses do not run into each other.
func TestWide(t *testing.T) {
	long := func(in string) string {
		return strings.NewReplacer("10.244.0.5.41000", "fd00:1111:2222:3333:4444:5555:6666:7777.41000", "10.96.0.9.9001", "fd00:96::9.9001", "IP ", "IP6 ").Replace(in)
	}
	c := New("t", []Source{{Node: strings.Repeat("n", 90), Text: long(text("0 v In C>V S 1000 - 0", "0.1 e Out C>V S 1000 - 0"))}})
	sound(t, c)
	label := regexp.MustCompile(`<text class="address mid" [^>]*>([^<]*)</text>`).FindAllStringSubmatch(c.SVG(), -1)
	require.Len(t, label, 2)
	assert.Equal(t, "fd00:1111:2…:6666:7777 → fd00:96::9", label[0][1])
	assert.LessOrEqual(t, c.stepWidth(), mostStep)
}

// hostile is text of a guest that wants to break the page, made of pieces of
// what tcpdump prints.
func hostile(r *rand.Rand) string {
	pieces := []string{
		"1764500000.1 ", "1764500000.2 ", "23:59:59.9 ", "00:00:00.1 ", "veth1 In  ", "e<b> Out ", "\"><script> In  ", "lo Out ", "eth0 B   ", "IP ", "IP6 ", "ARP, ",
		"10.0.0.1.5 > 10.0.0.2.80: ", "10.0.0.2.80 > 10.0.0.1.5: ", "10.0.0.9.80 > 10.0.0.1.5: ", "10.0.0.1.5 > 10.0.0.1.5: ", "fe80::1%x.5 > ::1.80: ",
		"Flags [S], seq 1, win 1, length 0", "Flags [S.], seq 7, ack 2, win 1, length 0", "Flags [.], ack 8, win 1, length 0", "Flags [R], seq 2, win 0, length 0",
		"Flags [P.], seq 2:9, ack 8, win 1, options [TS val 1 ecr 1], length 7", "Flags [none], win 1, length 4294967295", "Flags [S], seq 4294967295, win 1, length 4294967295",
		"Request who-has 10.0.0.2 tell 10.0.0.1, length 28", "Request who-has 10.0.0.2 (52:54:00:00:00:01) tell 10.0.0.1, length 28", "Reply 10.0.0.2 is-at 52:54:00:00:00:01, length 28", "Reply 10.0.0.2 is-at 52:54:00:00:00:02, length 28",
		"\n", "\n", "\n", "\xff\xfe", "\x00", "\x1b[31m", "\u202e", "</svg>", "&lt;",
	}
	var b strings.Builder
	for range r.IntN(120) {
		// Mostly lines that are whole, so that something is drawn.
		if r.IntN(4) > 0 {
			b.WriteString(pieces[r.IntN(4)] + pieces[4+r.IntN(5)] + "IP " + pieces[12+r.IntN(5)] + pieces[17+r.IntN(7)] + "\n")
		} else if r.IntN(2) > 0 {
			b.WriteString(pieces[r.IntN(2)] + pieces[4+r.IntN(5)] + "ARP, " + pieces[24+r.IntN(4)] + "\n")
		} else {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
	}
	return b.String()
}

func TestHostile(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 1))
	drawn := 0
	for range 200 {
		var sources []Source
		for n := range r.IntN(4) {
			s := Source{Node: fmt.Sprintf("n%d<script>\u202e\xff\n", n), Text: hostile(r), Elided: int64(r.IntN(2))}
			sources = append(sources, s)
		}
		c := New("t<script>\x1b\n", sources)
		sound(t, c)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		if len(c.Rows) > 2 {
			drawn++
		}
	}
	assert.Greater(t, drawn, 50, "most of them are drawn")
}

// TestFlood: a guest cannot make the report take long.
func TestFlood(t *testing.T) {
	var one, two strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&one, "1764500000.%06d v In  IP 10.0.0.1.5 > 10.0.0.2.80: Flags [S], seq %d, win 1, length 0\n", i, i%7)
		fmt.Fprintf(&two, "1764500000.%06d v In  IP 10.0.0.1.5 > 10.0.0.2.80: Flags [.], ack %d, win 1, length 0\n", i, i%3)
	}
	began := time.Now()
	sound(t, New("t", []Source{{Node: "a", Text: one.String() + two.String()}, {Node: "b", Text: two.String() + one.String()}, {Node: "c", Text: two.String()}}))
	assert.Less(t, time.Since(began), 20*time.Second)
}
