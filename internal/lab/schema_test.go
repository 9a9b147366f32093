package lab

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"labctl/internal/strictyaml/yamltest"
)

func TestSchemaIsPublished(t *testing.T) {
	yamltest.Golden(t, "../../docs/lab.schema.json", string(Schema()))
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	require.NoError(t, c.AddResource("lab.schema.json", document))
	schema, err := c.Compile("lab.schema.json")
	require.NoError(t, err)
	return schema
}

func document(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	require.NoError(t, yaml.Unmarshal(data, &v))
	return v
}

func TestSchemaTakesEveryLab(t *testing.T) {
	schema := compiled(t)
	paths, err := filepath.Glob("../../labs/*/lab.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range append(paths, "testdata/good.yaml") {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.NoError(t, schema.Validate(document(t, data)))
		})
	}
}

// What takes a look at several places is for the loader alone.
func TestSchemaRefuses(t *testing.T) {
	schema := compiled(t)
	caught := map[string]bool{
		"alternatives.yaml":    true, // one of several keys
		"declared.yaml":        true, // a variable's form
		"missing.yaml":         true,
		"nodes.yaml":           true, // an action
		"sides.yaml":           true, // a word that is none of those
		"topology.yaml":        true,
		"claims.yaml":          true, // an empty list
		"table-keys.yaml":      true,
		"table-plot-keys.yaml": true,
		"table-plot.yaml":      true, // a word that is none of those
		"table-rows.yaml":      true, // an empty list
		"table-values.yaml":    true,
		"table-steps.yaml":     true, // a table in a table
		"drill-keys.yaml":      true,
		"drill-none.yaml":      true, // an empty list
	}
	paths, err := filepath.Glob("testdata/bad/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			refused := schema.Validate(document(t, data)) != nil
			assert.Equal(t, caught[filepath.Base(path)], refused)
		})
	}
}

// Each slip of one place, made in a file that is otherwise good.
func TestSchemaRefusesSlips(t *testing.T) {
	schema := compiled(t)
	good, err := os.ReadFile("testdata/good.yaml")
	require.NoError(t, err)
	for from, to := range map[string]string{
		"title: Everything once":    "titel: Everything once",
		"kind: Lab":                 "kind: Plan",
		"topology: pair":            "topology: pear",
		"shuffle: false":            "shuffle: maybe",
		"contains: conntrack":       "contians: conntrack",
		"{exit: 0}":                 "{exit: zero}",
		"timeout: 10s":              "timeout: 10",
		"otherwise: wrong":          "otherwise: false",
		`times: "2-5"`:              `times: "2-"`,
		"ip: {in: 10.244.1.0/24}":   "ip: {}",
		"query: 'items[0].phase', ": "",
		"checks: [{exit: 0}]":       "checks: []",
		"stop: sniff":               "stop: sniff\n    do: network",
		"table: greetings":          "tables: greetings",
		"{WORD: hello, TIMES: 007}": "{WORD: [hello], TIMES: 007}",
		"log: both":                 "log: most",
		"x: TIMES, ":                "",
		"equals: Running":           "json: {query: a, equals: b}",
		"cause: The wire is cut":    "because: The wire is cut",
	} {
		t.Run(to, func(t *testing.T) {
			require.Contains(t, string(good), from)
			bad := strings.Replace(string(good), from, to, 1)
			assert.Error(t, schema.Validate(document(t, []byte(bad))))
			_, err := Parse("good.yaml", []byte(bad))
			assert.Error(t, err, "the loader refuses whatever the schema does")
		})
	}
}

// A field that nobody explains is no help to whoever completes it.
func TestSchemaExplainsEveryKey(t *testing.T) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	require.NoError(t, err)
	keys := 0
	var walk func(path string, v any)
	walk = func(path string, v any) {
		object, ok := v.(map[string]any)
		if !ok {
			if list, ok := v.([]any); ok {
				for _, item := range list {
					walk(path, item)
				}
			}
			return
		}
		if properties, ok := object["properties"].(map[string]any); ok {
			for key, p := range properties {
				keys++
				assert.Contains(t, p, "description", "%s: %s", path, key)
			}
		}
		for key, value := range object {
			walk(path+"/"+key, value)
		}
	}
	walk("", document)
	assert.Greater(t, keys, 60)
}
