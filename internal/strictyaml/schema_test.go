package strictyaml

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSchema(t *testing.T) {
	type leaf struct {
		Word *At[bool] `yaml:",word" doc:"yes"`
		Left string    `yaml:"left,one" enum:"a b" doc:"a letter"`
		base
	}
	type root struct {
		Pos   Pos               `yaml:",pos"`
		Name  At[string]        `yaml:"name,required"`
		Count int               `yaml:"count"`
		On    Words             `yaml:"on"`
		Free  Entries[At[bool]] `yaml:"free"`
		Leaf  []*At[leaf]       `yaml:"leaf"`
	}
	got, err := json.Marshal(Schema("Thing", root{}))
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"type": "object",
		"additionalProperties": false,
		"required": ["apiVersion", "kind", "name"],
		"properties": {
			"apiVersion": {"const": "labctl/v1", "description": "The format of this file."},
			"kind": {"const": "Thing", "description": "What this file holds."},
			"name": {"$ref": "#/$defs/scalar"},
			"count": {"type": "integer"},
			"on": {"anyOf": [{"$ref": "#/$defs/scalar"}, {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/scalar"}}]},
			"free": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "boolean"}},
			"leaf": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/leaf"}}
		},
		"$defs": {
			"scalar": {"type": ["string", "number", "boolean", "null"]},
			"leaf": {"anyOf": [
				{"type": "boolean", "description": "yes"},
				{
					"type": "object",
					"additionalProperties": false,
					"oneOf": [{"required": ["left"]}],
					"properties": {"left": {"enum": ["a", "b"], "description": "a letter"}, "size": {"type": "integer"}}
				}
			]}
		}
	}`, string(got))
}
