package strictyaml

import (
	"reflect"
	"slices"
	"strings"
)

// fields are what a struct takes from a mapping.
type fields struct {
	names  []string
	tags   []options
	values []reflect.Value
	// pos is the field that receives the mapping's place, word the one that takes
	// a scalar in place of a mapping, if there are such.
	pos, word reflect.Value
}

func (f fields) index(name string) int { return slices.Index(f.names, name) }

// alternatives are the keys of which a mapping has just one.
func (f fields) alternatives() []string {
	var keys []string
	for i, name := range f.names {
		if f.tags[i].one {
			keys = append(keys, name)
		}
	}
	return keys
}

// fieldsOf flattens embedded structs.
func fieldsOf(v reflect.Value) fields {
	var f fields
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			inner := fieldsOf(v.Field(i))
			f.names = append(f.names, inner.names...)
			f.tags = append(f.tags, inner.tags...)
			f.values = append(f.values, inner.values...)
			if inner.word.IsValid() {
				f.word = inner.word
			}
			continue
		}
		name, options := tag(field)
		if options.pos {
			f.pos = v.Field(i)
		}
		if options.word {
			f.word = v.Field(i)
		}
		if name != "" {
			f.names = append(f.names, name)
			f.tags = append(f.tags, options)
			f.values = append(f.values, v.Field(i))
		}
	}
	return f
}

// options are what stands behind the key in a field's tag.
type options struct{ required, one, pos, word bool }

func tag(field reflect.StructField) (key string, o options) {
	words := strings.Split(field.Tag.Get("yaml"), ",")
	for _, w := range words[1:] {
		switch w {
		case "required":
			o.required = true
		case "one":
			o.one = true
		case "pos":
			o.pos = true
		case "word":
			o.word = true
		}
	}
	return words[0], o
}
