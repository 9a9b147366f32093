package strictyaml

import "github.com/goccy/go-yaml/ast"

// Chooser is a mapping that has one of several forms, which its keys tell apart.
type Chooser interface {
	// Choose returns what a mapping with these keys is decoded into, a pointer.
	Choose(keys []string) any
	// Choices are a value of each form, for the schema.
	Choices() []any
}

func (d *decoder) choose(n ast.Node, dst Chooser) {
	m, ok := mapping(n)
	if !ok {
		d.kind(n, "a mapping of keys to values")
		return
	}
	var keys []string
	for _, pair := range m.Values {
		keys = append(keys, keyText(pair))
	}
	d.into(n, dst.Choose(keys))
}
