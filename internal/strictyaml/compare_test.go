package strictyaml

import (
	"fmt"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// compare holds our nodes to what another parser made of the same bytes.
func compare(t *testing.T, path string, ours ast.Node, theirs *yaml.Node) {
	t.Helper()
	switch theirs.Kind {
	case yaml.MappingNode:
		m, ok := mapping(ours)
		require.True(t, ok, path)
		require.Len(t, m.Values, len(theirs.Content)/2, path)
		for i, pair := range m.Values {
			key := keyText(pair)
			assert.Equal(t, theirs.Content[2*i].Value, key, path)
			compare(t, path+"."+key, pair.Value, theirs.Content[2*i+1])
		}
	case yaml.SequenceNode:
		seq, ok := ours.(*ast.SequenceNode)
		require.True(t, ok, path)
		require.Len(t, seq.Values, len(theirs.Content), path)
		for i, item := range seq.Values {
			compare(t, fmt.Sprintf("%s[%d]", path, i), item, theirs.Content[i])
		}
	default:
		text, ok := scalarText(ours)
		require.True(t, ok, path)
		assert.Equal(t, theirs.Value, text, path)
		assert.Equal(t, theirs.Line, ours.GetToken().Position.Line, path)
		assert.Equal(t, theirs.Column, ours.GetToken().Position.Column, path)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(head + "name: a\nparts:\n  - id: x\n")
	f.Add(head + "name: |\n  a\n   b\n\n c")
	f.Add("{a: [b, {c: d}], ? e : f}\n--- \n...")
	f.Add(head + "free: {a: &x b, <<: *x}")
	f.Fuzz(func(t *testing.T, text string) {
		var v thing
		// It must come back, with a value or with slips that have places.
		if err := Decode("f", []byte(text), "Thing", &v); err != nil {
			var slips *Error
			require.ErrorAs(t, err, &slips)
			for _, s := range slips.Slips {
				if s.Pos.Line < 1 || s.Pos.Column < 1 || s.Text == "" {
					t.Errorf("slip %q has no place", s)
				}
			}
		}
	})
}
