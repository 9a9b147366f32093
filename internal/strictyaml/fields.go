package strictyaml

import (
	"reflect"
	"slices"
	"strings"
)

// fields are what a struct takes from a mapping.
type fields struct {
	names    []string
	required []bool
	values   []reflect.Value
	// pos is the field that receives the mapping's place, if there is one.
	pos reflect.Value
}

func (f fields) index(name string) int { return slices.Index(f.names, name) }

// fieldsOf flattens embedded structs.
func fieldsOf(v reflect.Value) fields {
	var f fields
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			inner := fieldsOf(v.Field(i))
			f.names = append(f.names, inner.names...)
			f.required = append(f.required, inner.required...)
			f.values = append(f.values, inner.values...)
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case options == "pos":
			f.pos = v.Field(i)
		case name != "":
			f.names = append(f.names, name)
			f.required = append(f.required, options == "required")
			f.values = append(f.values, v.Field(i))
		}
	}
	return f
}
