package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
)

func ptr[T any](v T) *T { return &v }

func text(s string) *Template { return &Template{Text: s} }

func re(t *testing.T, s string) *Pattern {
	t.Helper()
	p, err := NewPattern(s)
	require.NoError(t, err)
	return &p
}

func TestCheckJudge(t *testing.T) {
	ok := func(stdout string) remote.Output { return remote.Output{Stdout: []byte(stdout)} }
	for _, c := range []struct {
		name  string
		check Check
		out   remote.Output
		want  Verdict
	}{
		{"exit holds", Check{Exit: ptr(3)}, remote.Output{Exit: 3}, Pass},
		{"exit differs", Check{Exit: ptr(3)}, remote.Output{}, Fail},
		{"exit 127 on demand", Check{Exit: ptr(127)}, remote.Output{Exit: 127}, Pass},
		{"exit of what timed out", Check{Exit: ptr(0)}, remote.Output{Exit: -1, TimedOut: true}, Error},

		{"equals, trailing blanks", Check{Stdout: &Text{Equals: text("NAME\nfoo")}}, ok("NAME   \nfoo  \n\n"), Pass},
		{"equals, CRLF and colour", Check{Stdout: &Text{Equals: text("a\nb")}}, ok("\x1b[1;32ma\x1b[0m\r\nb\r\n"), Pass},
		{"equals, leading blanks count", Check{Stdout: &Text{Equals: text("a")}}, ok(" a"), Fail},
		{"equals is not a number", Check{Stdout: &Text{Equals: text("007")}}, ok("7\n"), Fail},
		{"equals a block", Check{Stdout: &Text{Equals: text("a\nb\n")}}, ok("a\nb"), Pass},
		{"contains", Check{Stdout: &Text{Contains: text("b")}}, ok("abc"), Pass},
		{"contains is literal", Check{Stdout: &Text{Contains: text("a.c")}}, ok("abc"), Fail},
		{"contains a block", Check{Stdout: &Text{Contains: text("a\nb\n")}}, ok("x\na\nb"), Pass},
		{"contains a bad byte", Check{Stdout: &Text{Contains: text(`caf\xe9`)}}, ok("caf\xe9\n"), Pass},
		{"matches a whole line", Check{Stdout: &Text{Matches: re(t, "^b$")}}, ok("a\nb\r\nc"), Pass},
		{"matches nothing", Check{Stdout: &Text{Matches: re(t, "^b$")}}, ok("ab"), Fail},
		{"not empty", Check{Stdout: &Text{Empty: ptr(false)}}, ok("\n \n"), Fail},

		{"stderr apart", Check{Stderr: &Text{Contains: text("x")}}, ok("x"), Fail},
		{"combined has both", Check{Combined: &Text{Equals: text("a\nb")}}, remote.Output{Stdout: []byte("a"), Stderr: []byte("b")}, Pass},

		{"absent", Check{Stdout: &Text{NotContains: text("64 bytes")}}, ok("100% loss"), Pass},
		{"present", Check{Stdout: &Text{NotContains: text("64 bytes")}}, ok("64 bytes"), Fail},
		{"absent, not found", Check{Stdout: &Text{NotContains: text("64 bytes")}}, remote.Output{Exit: 127}, Error},
		{"absent, not executable", Check{Stdout: &Text{NotMatches: re(t, "64 bytes")}}, remote.Output{Exit: 126}, Error},
		{"absent, timed out", Check{Stdout: &Text{Empty: ptr(true)}}, remote.Output{Exit: -1, TimedOut: true}, Error},
		{"absent, the command failed", Check{Stdout: &Text{NotMatches: re(t, "x")}}, remote.Output{Exit: 1}, Pass},

		{"absent from the part that was kept", Check{Stdout: &Text{NotContains: text("x")}}, remote.Output{Stdout: []byte("a"), Dropped: 9}, Error},
		{"seen in the part that was kept", Check{Stdout: &Text{Contains: text("a")}}, remote.Output{Stdout: []byte("a"), Dropped: 9}, Pass},
		{"not seen in the part that was kept", Check{Stdout: &Text{Contains: text("x")}}, remote.Output{Stdout: []byte("a"), Dropped: 9}, Error},
		{"forbidden in the part that was kept", Check{Stdout: &Text{NotContains: text("a")}}, remote.Output{Stdout: []byte("a"), Dropped: 9}, Fail},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.check.Judge(c.out, nil)
			assert.Equal(t, c.want, r.Verdict, "%s, got %s", r.Want, r.Got)
			assert.NotEmpty(t, r.Want)
		})
	}
}

func TestStepJudge(t *testing.T) {
	t.Run("exit 0 is implied", func(t *testing.T) {
		o := Step{Pos: "f:1:1"}.Judge("a", remote.Output{Exit: 1}, nil)
		assert.Equal(t, Fail, o.Verdict)
		assert.Equal(t, []Result{{Verdict: Fail, Want: "exit code 0", Got: "exit code 1", Pos: "f:1:1"}}, o.Results)
	})
	t.Run("exit 0 is implied beside other checks", func(t *testing.T) {
		o := Step{Checks: []Check{{Stdout: &Text{Contains: text("a")}}}}.Judge("a", remote.Output{Exit: 1, Stdout: []byte("a")}, nil)
		assert.Equal(t, Fail, o.Verdict)
	})
	t.Run("absence counts when the step asks for 127", func(t *testing.T) {
		s := Step{Checks: []Check{{Exit: ptr(127)}, {Stdout: &Text{Empty: ptr(true)}}}}
		assert.Equal(t, Pass, s.Judge("a", remote.Output{Exit: 127}, nil).Verdict)
		assert.Equal(t, Error, s.Judge("a", remote.Output{Exit: 126}, nil).Verdict)
	})
	t.Run("error is worse than fail", func(t *testing.T) {
		s := Step{Checks: []Check{{Stdout: &Text{Contains: text("x")}}, {Stdout: &Text{Empty: ptr(true)}}}}
		assert.Equal(t, Error, s.Judge("a", remote.Output{Exit: 127}, nil).Verdict)
	})
}

func TestCapture(t *testing.T) {
	// What other runners turn into numbers, dates and booleans.
	for _, value := range []string{"007", "1e3", "5.0", "0x10", "no", "null", "12:30", "2024-01-01"} {
		s := Step{Capture: map[string]Capture{"V": {Pattern: *re(t, `^v=(\S+)$`)}, "ALL": {Pattern: *re(t, `v=.*`)}}}
		o := s.Judge("a", remote.Output{Stdout: []byte("a\nv=" + value + "\r\nb\n")}, nil)
		assert.Equal(t, Pass, o.Verdict)
		assert.Equal(t, map[string]string{"V": value, "ALL": "v=" + value}, o.Captured)
	}

	o := Step{Capture: map[string]Capture{"V": {Pattern: *re(t, `v=(\S+)|x`)}}, Pos: "f:1:1"}.Judge("a", remote.Output{Stdout: []byte("x")}, nil)
	assert.Equal(t, Fail, o.Verdict, "a group that took no part captures nothing")
	assert.Contains(t, o.Results[1].Want, "capture V")
	assert.Empty(t, o.Captured)
}

func TestNormaliseOfARecordIsThatOfTheOutput(t *testing.T) {
	raw := "\x1b]0;title\x07caf\xe9 \xff\xfe\r\n\x1b[31mred\x1b[0m\tx  \n\x00\n\n"
	data, err := json.Marshal(Escape(raw))
	require.NoError(t, err)
	var recorded string
	require.NoError(t, json.Unmarshal(data, &recorded))
	assert.Equal(t, Normalise(raw), Normalise(recorded))
	assert.Equal(t, "caf\\xe9 \\xff\\xfe\nred\tx\n\x00", Normalise(raw))
	assert.Equal(t, Normalise(raw), Normalise(Normalise(raw)))
}

func TestShorten(t *testing.T) {
	long := "begin " + strings.Repeat("é", 5000) + " end"
	got := shorten(long)
	assert.Less(t, len(got), maxGot+100)
	assert.True(t, strings.HasPrefix(got, "begin"))
	assert.True(t, strings.HasSuffix(got, " end"))
	assert.Contains(t, got, "bytes left out")
	assert.Equal(t, "x", shorten("x"))
}

func TestElide(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"0123456789", 10, "0123456789"},
		{"0123456789a", 10, "01234\n… 1 bytes left out …\n6789a"},
		{"one\ntwo\nthree\nfour\n", 12, "one\n… 10 bytes left out …\nfour\n"},
		{"日本語本日", 8, "日\n… 9 bytes left out …\n日"}, // never within a character
	} {
		got, left := Elide(c.text, c.limit)
		assert.Equal(t, c.want, got)
		assert.Equal(t, left > 0, got != c.text)
	}
}

func TestCapturedOnSeveralNodes(t *testing.T) {
	found, err := Captured(map[string]Outcome{
		"a": {Captured: map[string]string{"V": "1", "W": "x"}}, "b": {Captured: map[string]string{"V": "2", "W": "x"}}, "c": {},
	})
	assert.EqualError(t, err, `capturing V: "1" on node "a", "2" on node "b"`)
	assert.Equal(t, map[string]string{"W": "x"}, found)
}

func TestEvidence(t *testing.T) {
	const text = "one\nmode: iptables\nthree"
	for name, c := range map[string]struct {
		check Text
		want  string
	}{
		"the line that matches":   {Text{Matches: re(t, "iptables")}, "mode: iptables"},
		"the lines that match":    {Text{Matches: re(t, `mode.*\nth`)}, "mode: iptables\nthree"},
		"the line with it":        {Text{Contains: &Template{Text: "mode"}}, "mode: iptables"},
		"nothing, of an absence":  {Text{NotMatches: re(t, "ipvs")}, ""},
		"all, of an assertion so": {Text{Equals: &Template{Text: text}}, text},
	} {
		t.Run(name, func(t *testing.T) {
			r := Check{Stdout: &c.check}.Judge(remote.Output{Stdout: []byte(text)}, nil)
			assert.Equal(t, Pass, r.Verdict)
			assert.Equal(t, c.want, r.Got)
		})
	}
}
