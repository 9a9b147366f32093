package strictyaml

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// odd are texts that have gone wrong in YAML somewhere.
var odd = []string{
	"", " ", "a", "007", "no", "Yes", "null", "~", "1e3", "12:30", "true", "a: b", "a #b", "a#b", "- a", "-", "--- a", "[a]", "{a}", "a, b", "*a", "&a", "!a",
	"%a", "@a", "`a", "'", "''", `"`, `\`, `\n`, "a\tb", "\ta", "a ", " a", "a\nb", "a\n", "\n", "\n\na", "a\n\n", "é", "日本", "a\u00a0b", "\u200b", "\x1b[1m", "\x00", "\U0001F600",
	"a\nb\n", "a\n\n  b\nc", "a\n\tb\n", " a\nb", "a\nb \nc", "a\r\nb", "# a\nb\n", "EOF\n# x\n", "${NAME}", "$${NAME}", `^a\d+(?:b|c)$`, "a'b: \"c\"", "---\na\n", "...\na", "<<", "=",
	"key: |\n  x\n", "a\u2028b", "|", ">", "? a", ": a",
}

// read decodes what was written in a block, in a list in brackets, and in a
// mapping in braces.
func read(t *testing.T, written string, inFlow bool) string {
	t.Helper()
	body := "name: " + written + "\n"
	if inFlow {
		body = "on: [a, " + written + ", b]\n"
	}
	v, err := decode(body)
	require.NoError(t, err, written)
	if inFlow {
		require.Len(t, v.On, 3, written)
		return v.On[1].Value
	}
	return v.Name
}

func TestScalarIsReadAsItWas(t *testing.T) {
	for _, text := range odd {
		assert.Equal(t, text, read(t, Scalar(text), false))
		assert.Equal(t, text, read(t, Scalar(text), true))
		assert.NotContains(t, Scalar(text), "\n")
	}
	assert.Equal(t, "deployment.apps/svr patched", Scalar("deployment.apps/svr patched"))
	assert.Equal(t, "'200'", Scalar("200"))
	assert.Equal(t, "'it''s'", Scalar("it's"))
}

func TestBlockIsReadAsItWas(t *testing.T) {
	for _, text := range odd {
		if got := Block(text, 2); assert.Equal(t, text, read(t, got, false), got) && strings.HasPrefix(got, "|") {
			assert.NotContains(t, got, "\n\t")
		}
	}
	assert.Equal(t, "|\n    a\n\n    b", Block("a\n\nb\n", 4))
	assert.Equal(t, "a", Block("a", 4))
}

func FuzzScalar(f *testing.F) {
	for _, text := range odd {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// A file that is not UTF-8 is refused before any scalar is read.
		text = strings.ToValidUTF8(text[:min(len(text), 1000)], "")
		assert.Equal(t, text, read(t, Scalar(text), false))
		assert.Equal(t, text, read(t, Scalar(text), true))
		assert.Equal(t, text, read(t, Block(text, 2), false))
	})
}
