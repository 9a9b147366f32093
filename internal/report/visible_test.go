package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"labctl/internal/columns"
)

func TestPieces(t *testing.T) {
	for _, c := range []struct {
		text string
		want []piece
	}{
		{"", nil},
		{"plain\ttext\nof two lines", []piece{{"plain\ttext\nof two lines", false}}},
		{"\x1b[0m", []piece{{`\x1b`, true}, {"[0m", false}}},
		{"a\x00\x01b\r\n", []piece{{"a", false}, {`\x00\x01`, true}, {"b", false}, {`\r`, true}, {"\n", false}}},
		{`a\x00`, []piece{{`a\x00`, false}}},
		{"caf\xe9", []piece{{"caf", false}, {`\xe9`, true}}},
		{"\u202eabc\u2069", []piece{{`\u202e`, true}, {"abc", false}, {`\u2069`, true}}},
		{"a\u00a0b\U000e0001", []piece{{"a", false}, {`\u00a0`, true}, {"b", false}, {`\U000e0001`, true}}},
		{"naïve 日本語 e\u0301 \ufffd", []piece{{"naïve 日本語 e\u0301 \ufffd", false}}},
	} {
		assert.Equal(t, c.want, pieces(c.text), "%q", c.text)
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b\xff日\u202e\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := visible(text)
		assert.Equal(t, got, visible(got), "twice is once")
		assert.True(t, utf8.ValidString(got))
		short := elide(text, 16)
		if len(text) > 16 {
			assert.Contains(t, short, "bytes left out")
		}
		one := line(text, 10)
		assert.LessOrEqual(t, columns.Width(one), 10)
		assert.NotContains(t, one, "\n")
		for _, l := range columns.Wrap(one, 5) {
			assert.LessOrEqual(t, columns.Width(l), 5)
		}
	})
}

func TestLine(t *testing.T) {
	assert.Equal(t, "two lines and a half", line("two\nlines  and\ta half\n", 20))
	assert.Equal(t, "two lines and a hal…", line("two lines and a half or so", 20))
	assert.Equal(t, "日本…", line("日本語本日", 5), "each takes two columns")
	assert.Equal(t, "aaaa…", line(strings.Repeat("a", 1<<20), 5))
}

func TestTable(t *testing.T) {
	var b strings.Builder
	table(&b, [][]string{{"ID", "WHAT"}, {"A1", "short"}})
	assert.Equal(t, "ID  WHAT\nA1  short\n", b.String())
	b.Reset()
	long := strings.Repeat("word ", 30)
	table(&b, [][]string{{"A1", long, "x"}, {"A2", "short", ""}})
	assert.Equal(t, []string{
		"A1  " + strings.Repeat("word ", 22) + "     x",
		"    " + strings.TrimSpace(strings.Repeat("word ", 8)), "", "A2  short", "",
	}, strings.Split(b.String(), "\n"), "a wide column gets what the narrow ones leave, and rows stand apart")
}

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{-1: "0.0 s", 0: "0.0 s", 0.04: "0.0 s", 59.96: "60.0 s", 99.94: "99.9 s", 100: "1 min 40 s", 3599.6: "60 min 00 s"} {
		assert.Equal(t, want, seconds(s))
	}
}
