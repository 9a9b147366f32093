package strictyaml

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Schema describes, as JSON Schema 2020-12, the files of this kind that Decode
// reads into v, for editors. It is made of the same types and tags; beside them a
// field may say `doc:"…"`, which becomes its description, and `enum:"a b"`, its
// valid words. Lists have at least one item: an empty one says nothing.
//
// The result is a tree of maps, slices and scalars for encoding/json, with a
// definition for each struct that has a name, called after it.
func Schema(kind string, v any) map[string]any {
	s := schemas{defs: map[string]any{"scalar": map[string]any{"type": []any{"string", "number", "boolean", "null"}}}, types: map[string]reflect.Type{}}
	root := s.object(reflect.TypeOf(v))
	properties := root["properties"].(map[string]any)
	properties["apiVersion"] = map[string]any{"const": APIVersion, "description": "The format of this file."}
	properties["kind"] = map[string]any{"const": kind, "description": "What this file holds."}
	required, _ := root["required"].([]any)
	root["required"] = append([]any{"apiVersion", "kind"}, required...)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["$defs"] = s.defs
	return root
}

// Describer is a type that knows its own schema better than "text".
type Describer interface{ JSONSchema() map[string]any }

type schemas struct {
	defs  map[string]any
	types map[string]reflect.Type
}

// durations are those that time.ParseDuration reads and Decode accepts.
const durations = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`

func implements[I any](t reflect.Type) bool { return t.Implements(reflect.TypeFor[I]()) }

// text is any scalar, since each stays as it was written.
func text() map[string]any { return map[string]any{"$ref": "#/$defs/scalar"} }

func (s schemas) of(t reflect.Type) map[string]any {
	pointer := reflect.PointerTo(t)
	switch {
	case t.Kind() == reflect.Pointer:
		return s.of(t.Elem())
	case implements[Describer](pointer):
		return reflect.New(t).Interface().(Describer).JSONSchema()
	case implements[placer](pointer):
		value, _ := t.FieldByName("Value")
		return s.of(value.Type)
	case implements[adder](pointer):
		value, _ := t.Elem().FieldByName("Value")
		return map[string]any{"type": "object", "minProperties": 1, "additionalProperties": s.of(value.Type)}
	case implements[Chooser](pointer):
		var forms []any
		for _, form := range reflect.New(t).Interface().(Chooser).Choices() {
			forms = append(forms, s.of(reflect.TypeOf(form)))
		}
		if len(forms) == 1 {
			return forms[0].(map[string]any)
		}
		return map[string]any{"anyOf": forms}
	case t == reflect.TypeFor[Words]():
		return map[string]any{"anyOf": []any{text(), list(text())}}
	case t == reflect.TypeFor[time.Duration]():
		return map[string]any{"type": "string", "pattern": durations}
	case implements[encoding.TextUnmarshaler](pointer):
		return text()
	}
	switch t.Kind() {
	case reflect.Struct:
		return s.named(t)
	case reflect.Slice:
		return list(s.of(t.Elem()))
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	}
	return text()
}

func list(items map[string]any) map[string]any {
	return map[string]any{"type": "array", "minItems": 1, "items": items}
}

// named refers to the struct's definition.
func (s schemas) named(t reflect.Type) map[string]any {
	name := strings.TrimSuffix(t.Name(), "Form")
	name = strings.ToLower(name[:1]) + name[1:]
	switch other, done := s.types[name]; {
	case !done:
		s.types[name] = t // before what is in it, which may be of its own kind
		s.defs[name] = s.structure(t)
	case other != t:
		panic(fmt.Sprintf("strictyaml: %s and %s are both called %q in the schema", t, other, name))
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

// structure is the mapping, or the word in its place.
func (s schemas) structure(t reflect.Type) map[string]any {
	object := s.object(t)
	if word, ok := wordField(t); ok {
		return map[string]any{"anyOf": []any{s.field(word), object}}
	}
	return object
}

func wordField(t reflect.Type) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if _, o := tag(t.Field(i)); o.word {
			return t.Field(i), true
		}
	}
	return reflect.StructField{}, false
}

func (s schemas) object(t reflect.Type) map[string]any {
	properties := map[string]any{}
	var required, alternatives []any
	var add func(reflect.Type)
	add = func(t reflect.Type) {
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous {
				add(f.Type)
				continue
			}
			name, o := tag(f)
			if name == "" {
				continue
			}
			properties[name] = s.field(f)
			if o.required {
				required = append(required, name)
			}
			if o.one {
				alternatives = append(alternatives, map[string]any{"required": []any{name}})
			}
		}
	}
	add(t)
	object := map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	if required != nil {
		object["required"] = required
	}
	if alternatives != nil {
		object["oneOf"] = alternatives
	}
	return object
}

func (s schemas) field(f reflect.StructField) map[string]any {
	schema := s.of(f.Type)
	if words := strings.Fields(f.Tag.Get("enum")); len(words) > 0 {
		schema = map[string]any{"enum": anys(words)}
	}
	if doc := f.Tag.Get("doc"); doc != "" {
		schema["description"] = doc
	}
	return schema
}

func anys(words []string) []any {
	list := make([]any, len(words))
	for i, w := range words {
		list[i] = w
	}
	return list
}
