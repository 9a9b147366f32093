package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRunOfATable runs one over a real connection: values that a shell would
// take for something else, a script in the background of each row, and a row
// that fails.
func TestRunOfATable(t *testing.T) {
	g := hostsGround(t)
	lab := func(name, expect string) string {
		return labFile(t, name, `steps:
  - table: cells
    title: The cells
    rows:
      - {CELL: plain, VALUE: 007, EXPECT: '007'}
      - {CELL: shell, VALUE: '"$HOME'' *', EXPECT: '"$HOME'' *'}
      - {CELL: last, VALUE: -1, EXPECT: '`+expect+`'}
    steps:
      - {id: 'watch-${CELL}', title: 'Watch ${CELL}', on: all, run: 'echo "watching $CELL"; exec sleep 777', background: {ready: 'watching ${CELL}'}}
      - id: ask-${CELL}
        title: Ask ${CELL}
        on: a
        run: printf 'seen %s\n' "$VALUE"
        capture: {SEEN: '^seen (.*)$'}
        checks: [{value: {of: '${SEEN}', equals: '${EXPECT}'}}]
      - {id: 'watched-${CELL}', title: 'What ${CELL} was', stop: 'watch-${CELL}', checks: [{stdout: {equals: 'watching ${CELL}'}}]}
  - {id: after, title: After, on: a, run: 'echo "$CELL$SEEN"', checks: [{stdout: {empty: true}}]}
`+nothing)
	}
	out := g.runs(t, exitOK, "run", lab("cells", "-1"))
	assert.Contains(t, out, "\nThe cells\n  pass     Watch plain (")
	assert.Contains(t, out, `
table cells: The cells
CELL   VALUE      EXPECT     SEEN       VERDICT
plain  007        007        007        pass
shell  "$HOME' *  "$HOME' *  "$HOME' *  pass
last   -1         -1         -1         pass
3 rows: pass 3
`)

	out = g.runs(t, exitFailed, "run", lab("failing", "1"))
	assert.Contains(t, out, "\nlast   -1         1          -1         fail     ask-last\n3 rows: pass 2, fail 1\n")
	result := g.result(t, "failing")
	require.Len(t, result.Tables, 1)
	assert.Equal(t, map[string]string{"SEEN": "-1"}, result.Tables[0].Rows[2].Captured)

	out = exitsWith(t, g.command(t, "judge", "failing", "--lab", lab("failing", "-1")), exitOK)
	assert.Contains(t, out, "last   -1         -1         -1         not run  watched-last\n", "what came is judged anew, and what did not come is not made up")
	assert.Empty(t, strings.TrimSpace(g.look(t, "a", "pgrep -x sleep || true")), "nothing runs on")
}
