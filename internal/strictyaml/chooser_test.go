package strictyaml

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type circleForm struct {
	Radius int `yaml:"radius,required"`
}

type squareForm struct {
	Side int `yaml:"side,required"`
}

type shape struct {
	circle *circleForm
	square *squareForm
}

func (s *shape) Choose(keys []string) any {
	if len(keys) > 0 && keys[0] == "side" {
		s.square = &squareForm{}
		return s.square
	}
	s.circle = &circleForm{}
	return s.circle
}

func (s *shape) Choices() []any { return []any{circleForm{}, squareForm{}} }

func TestChooser(t *testing.T) {
	var v struct {
		Shapes []shape `yaml:"shapes"`
	}
	decode := func(text string) error {
		return Decode("f", []byte("apiVersion: labctl/v1\nkind: Thing\n"+text), "Thing", &v)
	}
	require.NoError(t, decode("shapes: [{radius: 1}, {side: 2}]"))
	assert.Equal(t, []shape{{circle: &circleForm{1}}, {square: &squareForm{2}}}, v.Shapes)
	assert.EqualError(t, decode("shapes: [{side: 2, radius: 1}, {sied: 2}, 7]"), `f:3:20: unknown key "radius": valid are side
f:3:32: missing "radius"
f:3:33: unknown key "sied": valid are radius
f:3:43: must be a mapping of keys to values, not "7"`)

	got, err := json.Marshal(Schema("Thing", v)["properties"].(map[string]any)["shapes"])
	require.NoError(t, err)
	assert.JSONEq(t, `{"type": "array", "minItems": 1, "items": {"anyOf": [{"$ref": "#/$defs/circle"}, {"$ref": "#/$defs/square"}]}}`, string(got))
}
