package strictyaml

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const edited = `apiVersion: labctl/v1
kind: Thing
# Above.
parts:   # the list
  # One.
  - id: 日本 😀   # tail
    run: |  # how
      a
        # in the script

    # Before checks.
    checks:
      # First.
      - stdout: {lines: [a, "b, c", 'it''s']}   # odd
      - {exit: 1}   # code
      # Last.
      - stdout:
          lines:
            - one
            # of two
            - {regex: '^two$'}   # why
            - "three"
  # Two.
  - {id: y, "run": x}  # short
  - id: z
    run: >-
      some long
      text
`

// of is the value of a mapping's key, which must be there.
func of(t *testing.T, n Node, key string) Node {
	t.Helper()
	v, ok := n.Get(key)
	require.True(t, ok, key)
	return v
}

func TestEdit(t *testing.T) {
	line := Inline{{"regex", Text(`^\d+$`)}}
	check := Pairs{{"stdout", Pairs{{"lines", List{Text("a"), line}}}}, {"node", Text("cp")}}
	for _, c := range []struct {
		name     string
		edit     func(*testing.T, *Document)
		old, new string
	}{
		{"a scalar with a comment behind", func(t *testing.T, d *Document) { of(t, at(t, d, 6, 5), "id").Replace(Text("b")) }, "日本 😀   #", "b   #"},
		{"a block", func(t *testing.T, d *Document) { of(t, at(t, d, 6, 5), "run").Replace(Text("b")) }, "|  # how\n      a\n        # in the script\n", "b\n"},
		{"a folded block", func(t *testing.T, d *Document) { of(t, at(t, d, 25, 5), "run").Replace(Text("b")) }, ">-\n      some long\n      text\n", "b\n"},
		{"an item in brackets", func(t *testing.T, d *Document) { lines(t, d, 14).Items()[1].Replace(line) }, `"b, c"`, `{regex: '^\d+$'}`},
		{"the first in brackets", func(t *testing.T, d *Document) { lines(t, d, 14).Remove(0) }, `[a, "b, c"`, `["b, c"`},
		{"the last in brackets", func(t *testing.T, d *Document) { lines(t, d, 14).Remove(2) }, `"b, c", 'it''s']`, `"b, c"]`},
		{"into brackets", func(t *testing.T, d *Document) { lines(t, d, 14).Insert(1, Text("x")) }, `[a, "b, c"`, `[a, x, "b, c"`},
		{"behind the last in brackets", func(t *testing.T, d *Document) { lines(t, d, 14).Insert(3, Text("x")) }, `'it''s']`, `'it''s', x]`},
		{"two for one place", func(t *testing.T, d *Document) {
			lines(t, d, 14).Insert(3, Text("x"))
			lines(t, d, 14).Insert(3, Text("z"))
		}, `'it''s']`, `'it''s', x, z]`},
		{"an item of a block", func(t *testing.T, d *Document) { lines(t, d, 17).Items()[1].Replace(Text("2")) }, `{regex: '^two$'}   # why`, `'2'   # why`},
		{"out of a block", func(t *testing.T, d *Document) { lines(t, d, 17).Remove(1) }, "            - {regex: '^two$'}   # why\n", ""},
		{"out of a block, and one behind it", func(t *testing.T, d *Document) {
			lines(t, d, 17).Remove(2)
			lines(t, d, 17).Insert(3, line)
		}, `- "three"`, `- {regex: '^\d+$'}`},
		{"out of a block, and one before it", func(t *testing.T, d *Document) {
			lines(t, d, 17).Remove(2)
			lines(t, d, 17).Insert(2, line)
		}, `- "three"`, `- {regex: '^\d+$'}`},
		{"out of brackets, and one before it", func(t *testing.T, d *Document) {
			lines(t, d, 14).Remove(1)
			lines(t, d, 14).Insert(1, Text("x"))
		}, `"b, c"`, "x"},
		{"into a block", func(t *testing.T, d *Document) { lines(t, d, 17).Insert(1, line) }, "- one\n", "- one\n            - {regex: '^\\d+$'}\n"},
		{"before the first of a block", func(t *testing.T, d *Document) { lines(t, d, 17).Insert(0, line) }, "- one\n", "- {regex: '^\\d+$'}\n            - one\n"},
		{"behind the last of a block", func(t *testing.T, d *Document) { lines(t, d, 17).Insert(3, line) }, "- \"three\"\n", "- \"three\"\n            - {regex: '^\\d+$'}\n"},
		{"a check in a block", func(t *testing.T, d *Document) { at(t, d, 14, 9).Replace(check) }, `stdout: {lines: [a, "b, c", 'it''s']}   # odd`,
			"stdout:\n          lines:\n            - a\n            - {regex: '^\\d+$'}\n        node: cp   # odd"},
		{"a check in braces", func(t *testing.T, d *Document) { at(t, d, 15, 9).Replace(check) }, "{exit: 1}   #", `{stdout: {lines: [a, {regex: '^\d+$'}]}, node: cp}   #`},
		{"a value in braces", func(t *testing.T, d *Document) { of(t, at(t, d, 15, 9), "exit").Replace(Plain("2")) }, "{exit: 1}", "{exit: 2}"},
		{"a check away", func(t *testing.T, d *Document) { listOf(t, at(t, d, 15, 9)).Remove(1) }, "      - {exit: 1}   # code\n", ""},
		{"a key to a block", func(t *testing.T, d *Document) { at(t, d, 6, 5).Add("on", Text("a"), "id", "title") }, "# tail\n", "# tail\n    on: a\n"},
		{"a list to a block", func(t *testing.T, d *Document) { at(t, d, 25, 5).Add("checks", List{check}) }, "      text\n",
			"      text\n    checks:\n      - stdout:\n          lines:\n            - a\n            - {regex: '^\\d+$'}\n        node: cp\n"},
		{"a key to braces", func(t *testing.T, d *Document) { at(t, d, 24, 5).Add("checks", List{check}, "run") }, `"run": x}`,
			`"run": x, checks: [{stdout: {lines: [a, {regex: '^\d+$'}]}, node: cp}]}`},
		{"two at once", func(t *testing.T, d *Document) { lines(t, d, 17).Remove(2); lines(t, d, 14).Remove(0) }, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.True(t, c.old == "" || strings.Count(edited, c.old) == 1)
			d, err := OpenDocument("f.yaml", []byte(edited))
			require.NoError(t, err)
			c.edit(t, d)
			want := strings.Replace(edited, c.old, c.new, 1)
			if c.old == "" {
				want = strings.Replace(strings.Replace(edited, "[a, ", "[", 1), "            - \"three\"\n", "", 1)
			}
			assert.Equal(t, want, string(d.Bytes()))
			_, err = OpenDocument("f.yaml", d.Bytes())
			require.NoError(t, err)

			windows, err := OpenDocument("f.yaml", []byte(strings.ReplaceAll(edited, "\n", "\r\n")))
			require.NoError(t, err)
			c.edit(t, windows)
			assert.Equal(t, strings.ReplaceAll(want, "\n", "\r\n"), string(windows.Bytes()))
		})
	}
}

// at is the mapping at a place, which must be there.
func at(t *testing.T, d *Document, line, column int) Node {
	t.Helper()
	n, ok := d.At(Pos{Line: line, Column: column})
	require.True(t, ok)
	return n
}

func lines(t *testing.T, d *Document, line int) Node {
	t.Helper()
	return of(t, of(t, at(t, d, line, 9), "stdout"), "lines")
}

func listOf(t *testing.T, n Node) Node {
	t.Helper()
	l, ok := n.List()
	require.True(t, ok)
	return l
}

// A file without a newline at its end, and one whose last value is a block.
func TestEditAtTheEnd(t *testing.T) {
	for body, want := range map[string]string{
		"name: a":               "name: a\non: b",
		"name: a\n":             "name: a\non: b\n",
		"name: |\n  a\n":        "name: |\n  a\non: b\n",
		"name: |\n  a\n\n# c\n": "name: |\n  a\non: b\n\n# c\n",
		"name: 'a\n  b' # c\n":  "name: 'a\n  b' # c\non: b\n",
		"name: a\n  b\n":        "name: a\n  b\non: b\n",
		"on: [a] # b":           "on: [a] # b\non: b",
	} {
		d, err := OpenDocument("f.yaml", []byte(body))
		require.NoError(t, err)
		at(t, d, 1, 1).Add("on", Text("b"))
		assert.Equal(t, want, string(d.Bytes()))
	}
}

// Lines that end in two ways stay as they are; new ones end as their neighbours.
func TestEditBetweenLineEnds(t *testing.T) {
	for file, want := range map[string]string{
		"id: [a]\r\nname: a\non:\r\n":    "id: [a]\r\nname: a\nat: b\non:\r\n",
		"id: a\nname: a\r\non:\r\n- a\n": "id: a\nname: a\r\nat: b\r\non:\r\n- a\n",
		"id: a\r\nname: a":               "id: a\r\nname: a\r\nat: b",
	} {
		d, err := OpenDocument("f.yaml", []byte(file))
		require.NoError(t, err)
		at(t, d, 1, 1).Add("at", Text("b"), "name")
		assert.Equal(t, want, string(d.Bytes()))
	}
}

func TestWhatIsNoDocument(t *testing.T) {
	_, err := OpenDocument("f.yaml", []byte("\xef\xbb\xbfa: b\n"))
	assert.ErrorContains(t, err, "f.yaml:1:1: a byte order mark")
	_, err = OpenDocument("f.yaml", []byte("a: [\n"))
	assert.ErrorContains(t, err, "f.yaml:1:4: ")
}
