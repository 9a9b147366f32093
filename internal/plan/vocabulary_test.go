package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
	"labctl/internal/strictyaml"
)

// parseCheck reads one check as a file has it, with A and N as variables.
func parseCheck(t *testing.T, text string) Check {
	t.Helper()
	var f struct {
		Check checkForm `yaml:"check,required"`
	}
	require.NoError(t, strictyaml.Decode("f", []byte("apiVersion: labctl/v1\nkind: Check\ncheck: "+text+"\n"), "Check", &f))
	var b Builder
	for _, name := range []string{"A", "N"} {
		b.Var(at[string]{Value: name})
	}
	c := b.check(f.Check)
	require.NoError(t, b.Slips.Err())
	return c
}

// Each assertion once as it holds, as it does not, and as nobody can tell.
func TestVocabulary(t *testing.T) {
	vars := map[string]string{"A": "a.b*[c]", "N": "12"}
	longLine := strings.Repeat("x", 300_000)
	for _, c := range []struct {
		check  string
		stdout string
		want   Verdict
		words  string
		got    string
	}{
		{`{stdout: {not: b}}`, "a", Pass, `stdout is not "b"`, "a"},
		{`{stdout: {not: a}}`, "a\n", Fail, `stdout is not "a"`, "a"},
		{`{stdout: {equals: "a\nb"}}`, "a\nc", Fail, `stdout equals "a\nb"`, "  a\n- b\n+ c"},
		{`{stdout: {equals: "a b"}}`, "a\u00a0b", Fail, `stdout equals "a b"`, `a\u00a0b`},
		{`{stdout: {equals: "${A}"}}`, "a.b*[c]", Pass, `stdout equals "a.b*[c]"`, "a.b*[c]"},
		{`{stdout: {equals: "$${A}"}}`, "${A}", Pass, `stdout equals "${A}"`, "${A}"},
		{`{stdout: {contains: "x${A}y"}}`, "xa.b*[c]y", Pass, `stdout contains "xa.b*[c]y"`, "xa.b*[c]y"},
		{`{stdout: {matches: '^${A}$'}}`, "a.b*[c]", Pass, `stdout matches /^a\.b\*\[c\]$/`, "a.b*[c]"},
		{`{stdout: {matches: '^${A}$'}}`, "aXb*[c]", Fail, `stdout matches /^a\.b\*\[c\]$/`, "aXb*[c]"},
		{`{stdout: {matches: '^$${A}$'}}`, "${A}", Pass, `stdout matches /^\$\{A\}$/`, "${A}"},
		{`{stdout: {notMatches: '${N}'}}`, "13", Pass, `stdout does not match /12/`, "13"},

		{`{stdout: {lines: [a, {glob: 'b*'}, {regex: '\d+'}]}}`, "a\nb/x\n7\n", Pass, `stdout is these lines: a | b*  (glob) | /\d+/`, "a\nb/x\n7"},
		{`{stdout: {lines: [a, b]}}`, "a\nb\nc", Fail, "stdout is these lines: a | b", "line 3 is one too many\n  a\n  b\n+ c"},
		{`{stdout: {lines: [a, b, c]}}`, "a\nb", Fail, "stdout is these lines: a | b | c", "after line 2 should come c\n  a\n  b\n- c"},
		{`{stdout: {lines: [{regex: 'b'}]}}`, "abc", Fail, "stdout is these lines: /b/", "line 1 should be /b/\n- /b/\n+ abc"},
		{`{stdout: {lines: ["a\tb"]}}`, "a b\u00a0", Fail, `stdout is these lines: a\tb`, "line 1 should be a\\tb\n- a\\tb\n+ a b\\u00a0"},
		{`{stdout: {lines: [a, {glob: '*', times: '*'}, z]}}`, "a\nb\nz\nz", Pass, "stdout is these lines: a | *  (glob)  (any number) | z", "a\nb\nz\nz"},
		{`{stdout: {lines: [{line: a, times: '2-3'}, {line: a, times: '?'}]}}`, "a\na\na\na", Pass, "stdout is these lines: a  (2 to 3 times) | a  (or none)", "a\na\na\na"},
		{`{stdout: {lines: [{line: a, times: '2-3'}]}}`, "a", Fail, "stdout is these lines: a  (2 to 3 times)", "after line 1 should come a  (2 to 3 times)\n  a\n- a  (2 to 3 times)"},
		{`{stdout: {lines: [{line: a, times: '3'}, {line: b, times: '+'}]}}`, "a\na\na\nb\nb", Pass, "stdout is these lines: a  (3 times) | b  (one or more)", "a\na\na\nb\nb"},
		{`{stdout: {lines: ["x${A}", {glob: '*${A}'}, {regex: '.${A}'}]}}`, "xa.b*[c]\nya.b*[c]\nza.b*[c]", Pass, `stdout is these lines: xa.b*[c] | *a.b\*\[c]  (glob) | /.a\.b\*\[c\]/`, "xa.b*[c]\nya.b*[c]\nza.b*[c]"},
		{`{stdout: {lines: [{line: a, times: '*'}, {line: a, times: '?'}, {glob: 'b*'}]}}`, "a\nc", Fail, "stdout is these lines: a  (any number) | a  (or none) | b*  (glob)", "line 2 should be a  (any number) or a  (or none) or b*  (glob)\n  a\n- b*  (glob)\n+ c"},
		{`{stdout: {lines: [a, "", b]}}`, "a\n\nb", Pass, "stdout is these lines: a |  | b", "a\n\nb"},
		{`{stdout: {lines: [{glob: 'x*'}]}}`, longLine, Pass, "stdout is these lines: x*  (glob)", shorten(longLine)},
		{`{stdout: {lines: [y]}}`, longLine, Fail, "stdout is these lines: y", "line 1 should be y\n- y\n+ " + strings.Repeat("x", 160) + "… (299840 more characters)"},
		{`{stdout: {lines: ['caf\xe9']}}`, "caf\xe9", Pass, `stdout is these lines: caf\xe9`, `caf\xe9`},

		{`{stdout: {anyOrder: [a, b]}}`, "b\na", Pass, "stdout is these lines, in any order: a | b", "b\na"},
		{`{stdout: {anyOrder: [a, b]}}`, "b\nb", Fail, "stdout is these lines, in any order: a | b", "- a\n+ b"},
		// Taking the first that fits would leave ab without a place.
		{`{stdout: {anyOrder: [{glob: 'a*'}, a]}}`, "a\nab", Pass, "stdout is these lines, in any order: a*  (glob) | a", "a\nab"},
		{`{stdout: {anyOrder: [{glob: 'a*', times: '2-3'}, {glob: '*b', times: '2'}]}}`, "ab\nab\nab\nxb", Pass, "stdout is these lines, in any order: a*  (glob)  (2 to 3 times) | *b  (glob)  (2 times)", "ab\nab\nab\nxb"},
		{`{stdout: {anyOrder: [{glob: 'a*', times: '3'}, {glob: '*b', times: '2'}]}}`, "ab\nab\nab\nxb", Fail, "stdout is these lines, in any order: a*  (glob)  (3 times) | *b  (glob)  (2 times)", "- *b  (glob)  (2 times)"},
		{`{stdout: {anyOrder: [{line: a, times: '*'}, b]}}`, "a\nb\na", Pass, "stdout is these lines, in any order: a  (any number) | b", "a\nb\na"},

		{`{stdout: {count: {of: '^a', is: "2"}}}`, "a\nb\nab", Pass, "stdout has 2 lines that match /^a/", "2 of 3 lines match:\na\nab"},
		{`{stdout: {count: {of: '^a', atLeast: "3", atMost: "5"}}}`, "a\nb\nab", Fail, "stdout has at least 3 and at most 5 lines that match /^a/", "2 of 3 lines match:\na\nab"},
		{`{stdout: {count: {of: '^a', not: "0"}}}`, "b", Fail, "stdout has not 0 lines that match /^a/", "0 of 1 lines match:\nb"},
		{`{stdout: {count: {of: '^a', is: "${A}"}}}`, "b", Error, "stdout has a.b*[c] lines that match /^a/", `"a.b*[c]" is no number to compare with`},

		{`{stdout: {number: {atLeast: "131072"}}}`, " 131072\n", Pass, "stdout is a number: at least 131072", " 131072"},
		{`{stdout: {number: {is: "131072"}}}`, "1.31072e+05", Pass, "stdout is a number: 131072", "1.31072e+05"},
		{`{stdout: {number: {is: "7"}}}`, "007", Pass, "stdout is a number: 7", "007"},
		{`{stdout: {number: {moreThan: "0.1", lessThan: "0.3"}}}`, "0.3", Fail, "stdout is a number: more than 0.1 and less than 0.3", "0.3"},
		{`{stdout: {number: {not: "12"}}}`, "many", Fail, "stdout is a number: not 12", `not a number: "many"`},
		{`{stdout: {number: {not: "12"}}}`, "0x10", Fail, "stdout is a number: not 12", `not a number: "0x10"`},
		{`{stdout: {number: {atMost: "${N}"}}}`, "13", Fail, "stdout is a number: at most 12", "13"},
		{`{stdout: {number: {atMost: "${A}"}}}`, "13", Error, "stdout is a number: at most a.b*[c]", `"a.b*[c]" is no number to compare with`},

		{`{stdout: {duration: {lessThan: 1m30s}}}`, "89.9s", Pass, "stdout is a duration: less than 1m30s", "89.9s"},
		{`{stdout: {duration: {lessThan: 1m30s}}}`, "90s", Fail, "stdout is a duration: less than 1m30s", "90s"},
		{`{stdout: {duration: {lessThan: 1m30s}}}`, "90", Fail, "stdout is a duration: less than 1m30s", `not a duration: "90"`},
		{`{stdout: {duration: {is: "${N}"}}}`, "12s", Error, "stdout is a duration: 12", `"12" is no duration to compare with`},

		{`{stdout: {ip: {is: "fd00::1"}}}`, "fd00:0::0001", Pass, "stdout is the IP address fd00::1", "fd00:0::0001"},
		{`{stdout: {ip: {is: 10.0.0.1}}}`, "10.0.0.2", Fail, "stdout is the IP address 10.0.0.1", "10.0.0.2"},
		{`{stdout: {ip: {in: 10.244.1.0/24}}}`, "10.244.1.7", Pass, "stdout is an IP address in 10.244.1.0/24", "10.244.1.7"},
		{`{stdout: {ip: {in: 10.244.1.0/24}}}`, "10.244.2.7", Fail, "stdout is an IP address in 10.244.1.0/24", "10.244.2.7"},
		{`{stdout: {ip: {in: "fe80::/10"}}}`, "fe80::1%eth0", Pass, "stdout is an IP address in fe80::/10", "fe80::1%eth0"},
		{`{stdout: {ip: {in: 10.244.1.0/24}}}`, "<none>", Fail, "stdout is an IP address in 10.244.1.0/24", `not an IP address: "<none>"`},
		{`{stdout: {ip: {in: "${N}"}}}`, "10.244.2.7", Error, "stdout is an IP address in 12", `"12" is no network to compare with`},

		{`{stdout: {mac: 52:54:00:aa:bb:cc}}`, "5254.00AA.BBCC", Pass, "stdout is the MAC address 52:54:00:aa:bb:cc", "5254.00AA.BBCC"},
		{`{stdout: {mac: 52:54:00:aa:bb:cc}}`, "52:54:00:aa:bb:cd", Fail, "stdout is the MAC address 52:54:00:aa:bb:cc", "52:54:00:aa:bb:cd"},
		{`{stdout: {mac: 52:54:00:aa:bb:cc}}`, "-", Fail, "stdout is the MAC address 52:54:00:aa:bb:cc", `not a MAC address: "-"`},
		{`{stdout: {mac: "${N}"}}`, "52:54:00:aa:bb:cd", Error, "stdout is the MAC address 12", `"12" is no MAC address to compare with`},

		{`{stdout: {cidr: 10.0.0.0/8}}`, "10.1.2.3/8", Pass, "stdout is the network 10.0.0.0/8", "10.1.2.3/8"},
		{`{stdout: {cidr: 10.0.0.0/8}}`, "10.0.0.0/9", Fail, "stdout is the network 10.0.0.0/8", "10.0.0.0/9"},
		{`{stdout: {cidr: 10.0.0.0/8}}`, "10.0.0.0", Fail, "stdout is the network 10.0.0.0/8", `not a network: "10.0.0.0"`},

		{`{stdout: {json: {query: 'items[0].phase', equals: Running}}}`, `{"items":[{"phase":"Running"}]}`, Pass, `stdout as JSON: items[0].phase equals "Running"`, "Running"},
		{`{stdout: {json: {query: 'items[0].phase', equals: Running}}}`, `{"items":[]}`, Fail, `stdout as JSON: items[0].phase equals "Running"`, "null"},
		{`{stdout: {json: {query: 'length(items)', number: {atLeast: "2"}}}}`, `{"items":[1,2]}`, Pass, `stdout as JSON: length(items) is a number: at least 2`, "2"},
		{`{stdout: {json: {query: 'length(items)', number: {atLeast: "2"}}}}`, `{}`, Fail, `stdout as JSON: length(items) is a number: at least 2`, ""},
		{`{stdout: {json: {query: 'a', equals: '{"b":"<&>"}'}}}`, `{"a": {"b": "<&>"}}`, Pass, `stdout as JSON: a equals "{\"b\":\"<&>\"}"`, `{"b":"<&>"}`},
		{`{stdout: {json: {query: 'a', not: x}}}`, "error: no", Fail, `stdout as JSON: a is not "x"`, ""},
		{`{stdout: {json: {query: 'a', not: x}}}`, `{"a":1} {"a":2}`, Fail, `stdout as JSON: a is not "x"`, ""},
		{`{stdout: {json: {query: 'a', number: {is: "${A}"}}}}`, `{"a":1}`, Error, `stdout as JSON: a is a number: a.b*[c]`, `"a.b*[c]" is no number to compare with`},

		{`{value: {of: '${N}', not: '${A}'}}`, "", Pass, `${N} is not "a.b*[c]"`, "12"},
		{`{value: {of: '${N}', equals: '13'}}`, "", Fail, `${N} equals "13"`, "12"},
		{`{value: {of: '${N}', number: {is: '${N}'}}}`, "", Pass, `${N} is a number: 12`, "12"},
	} {
		t.Run(c.check, func(t *testing.T) {
			r := parseCheck(t, c.check).Judge(remote.Output{Stdout: []byte(c.stdout)}, vars)
			assert.Equal(t, c.want, r.Verdict, r.Got)
			assert.Equal(t, c.words, r.Want)
			if c.got != "" {
				assert.Equal(t, c.got, r.Got)
			}
		})
	}
}

func TestWhatCannotBeJudged(t *testing.T) {
	none := remote.Output{Exit: 127}
	part := remote.Output{Stdout: []byte("1"), Dropped: 1}
	for _, c := range []struct {
		check string
		out   remote.Output
		want  Verdict
		got   string
	}{
		// Silence satisfies these, so it must be that of a command that ran.
		{`{stdout: {not: b}}`, none, Error, "the command did not run: exit code 127 (not found)"},
		{`{stdout: {count: {of: x, is: "0"}}}`, none, Error, ""},
		{`{stdout: {count: {of: x, atMost: "3"}}}`, none, Error, ""},
		{`{stdout: {lines: [{line: x, times: '?'}]}}`, none, Error, ""},
		{`{stdout: {anyOrder: [{line: x, times: '*'}]}}`, none, Error, ""},
		{`{stdout: {matches: '\A\z'}}`, none, Error, ""},
		// It satisfies none of these.
		{`{stdout: {count: {of: x, is: "1"}}}`, none, Fail, ""},
		{`{stdout: {number: {not: "1"}}}`, none, Fail, ""},
		{`{stdout: {json: {query: a, not: b}}}`, none, Fail, ""},
		{`{stdout: {lines: [x]}}`, none, Fail, ""},
		// Variables are known whatever the command did.
		{`{value: {of: '${N}', not: b}}`, none, Pass, ""},

		{`{stdout: {lines: ["1"]}}`, part, Error, "1 bytes of output were dropped: nobody knows"},
		{`{stdout: {not: "2"}}`, part, Error, ""},
		{`{stdout: {number: {is: "1"}}}`, part, Error, ""},
		{`{stdout: {count: {of: '1', is: "1"}}}`, part, Error, ""},
		{`{same: 'x'}`, part, Error, ""},
		{`{stdout: {empty: false}}`, part, Pass, ""},
		{`{stdout: {empty: true}}`, part, Fail, ""},

		{`{stdout: {equals: '${A}'}}`, remote.Output{}, Error, `variable "A" has no value`},
		{`{stdout: {matches: 'x${A}'}}`, remote.Output{}, Error, `variable "A" has no value`},
		{`{stdout: {lines: [{glob: 'x${A}'}]}}`, remote.Output{}, Error, `variable "A" has no value`},
		{`{value: {of: '${A}', equals: x}}`, remote.Output{}, Error, `variable "A" has no value`},
		{`{same: 'x${A}'}`, remote.Output{}, Error, `variable "A" has no value`},
	} {
		t.Run(c.check, func(t *testing.T) {
			r := parseCheck(t, c.check).Judge(c.out, map[string]string{"N": "12"})
			assert.Equal(t, c.want, r.Verdict, r.Got)
			if c.got != "" {
				assert.Equal(t, c.got, r.Got)
			}
		})
	}
}

func TestDiffShowsWhatMatters(t *testing.T) {
	var want, got []string
	for i := range 100 {
		line := strings.Repeat("l", i)
		want, got = append(want, line), append(got, line)
	}
	got[50] = "other\u200b"
	r := Check{Stdout: &Text{Equals: text(strings.Join(want, "\n"))}}.Judge(remote.Output{Stdout: []byte(strings.Join(got, "\n"))}, nil)
	assert.Equal(t, "  … (48 lines)\n  "+want[48]+"\n  "+want[49]+"\n- "+want[50]+"\n+ other\\u200b\n  "+want[51]+"\n  "+want[52]+"\n  … (47 lines)", r.Got)
}

// Many lines must neither take minutes nor gigabytes.
func TestManyLines(t *testing.T) {
	out := remote.Output{Stdout: []byte(strings.Repeat("a\n", 200_000) + "b\n")}
	r := parseCheck(t, `{stdout: {lines: [{line: a, times: '+'}, b]}}`).Judge(out, nil)
	assert.Equal(t, Pass, r.Verdict)
	r = parseCheck(t, `{stdout: {lines: [{line: a, times: '+'}, c]}}`).Judge(out, nil)
	assert.Equal(t, Fail, r.Verdict)
	assert.Less(t, len(r.Got), 4000)
	r = parseCheck(t, `{stdout: {anyOrder: [b, {line: a, times: '+'}]}}`).Judge(out, nil)
	assert.Equal(t, Pass, r.Verdict)
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		bound              string
		less, equal, above Verdict
	}{
		{"is", Fail, Pass, Fail},
		{"not", Pass, Fail, Pass},
		{"atLeast", Fail, Pass, Pass},
		{"atMost", Pass, Pass, Fail},
		{"moreThan", Fail, Fail, Pass},
		{"lessThan", Pass, Fail, Fail},
	} {
		check := parseCheck(t, `{stdout: {number: {`+c.bound+`: "0.3"}}}`)
		for text, want := range map[string]Verdict{"0.2999999999999999999": c.less, "0.30": c.equal, "3.1e-1": c.above} {
			assert.Equal(t, want, check.Judge(remote.Output{Stdout: []byte(text)}, nil).Verdict, "%s %s", text, c.bound)
		}
	}
}

func TestVisible(t *testing.T) {
	assert.Equal(t, `a\tb\u00a0c\u202e\x1b··`+"\nd é", visible("a\tb\u00a0c\u202e\x1b  \nd é"))
}
