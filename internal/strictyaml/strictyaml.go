// Package strictyaml decodes the project's YAML files so that a slip of the
// hand is found where it stands: unknown and duplicate keys, values of the
// wrong kind and missing fields are errors with file:line:column, and an
// unknown word comes with the nearest valid one.
//
// It accepts the part of YAML that people write by hand: mappings, lists and
// scalars in one document. Anchors, aliases, tags and merge keys are refused.
// A scalar that goes into a string stays as it was written: 007, no, 1e3, 12:30
// and null are those texts and nothing else.
package strictyaml

import (
	"bytes"
	"errors"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// APIVersion is what every file says in its first line.
const APIVersion = "labctl/v1"

// MaxBytes is the largest file that Decode reads; a lab with all its scripts
// is a hundredth of it.
const MaxBytes = 1 << 20

// Decode reads one document into v, a pointer to a struct. Its mapping must
// say `apiVersion: labctl/v1` and `kind:` with this kind; these two keys are
// not fields of v. The name stands for the file in positions. The error is an
// *Error with all slips, in the order of the file.
//
// A field says `yaml:"key"` or `yaml:"key,required"`; `yaml:",pos"` marks the
// Pos that receives where the mapping starts. Of the fields marked
// `yaml:"key,one"` a mapping has just one. Where a struct has a field marked
// `yaml:",word"` or `yaml:"key,word"`, a file may write a scalar in place of the
// mapping, and it goes into that field. The types are string, bool, int,
// time.Duration ("30s"), netip.Addr, netip.Prefix, any encoding.TextUnmarshaler,
// pointers, slices and structs of these, At, Words, Entries, and any Chooser.
func Decode(name string, data []byte, kind string, v any) error {
	d := decoder{file: name}
	root := d.parse(data)
	if root == nil {
		return d.slips.Err()
	}
	body, ok := d.header(root, kind)
	if !ok {
		return d.slips.Err()
	}
	d.into(body, v)
	return d.slips.Err()
}

// parse returns the pairs of the document's mapping, or nil after a slip.
func (d *decoder) parse(data []byte) *ast.MappingNode {
	start := Pos{File: d.file, Line: 1, Column: 1}
	if len(data) > MaxBytes {
		d.slips.Addf(start, "the file is larger than %d bytes", MaxBytes)
		return nil
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	// The parser counts some lines twice that end as on Windows; and bash would
	// take the carriage return for a part of the last word.
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	f, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var syntax *yaml.SyntaxError
		if errors.As(err, &syntax) {
			d.slips.Addf(d.tokenPos(syntax.Token), "%s", syntax.Message)
		} else {
			d.slips.Addf(start, "%s", err)
		}
		return nil
	}
	var bodies []ast.Node
	for _, doc := range f.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.DirectiveType {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		d.slips.Addf(start, "the file is empty")
		return nil
	case 1:
	default:
		d.slips.Addf(d.pos(bodies[1]), "a second document: a file holds one")
		return nil
	}
	m, ok := mapping(bodies[0])
	if !ok {
		d.slips.Addf(d.pos(bodies[0]), "the file must be a mapping of keys to values, not %s", describe(bodies[0]))
		return nil
	}
	return m
}

// header takes apiVersion and kind away from the pairs. It looks at them first,
// since the keys of another kind of file would all be unknown.
func (d *decoder) header(root *ast.MappingNode, kind string) (*ast.MappingNode, bool) {
	rest := *root
	rest.Values = nil
	want := map[string]string{"apiVersion": APIVersion, "kind": kind}
	seen := map[string]bool{}
	for _, pair := range root.Values {
		key := keyText(pair)
		if want[key] == "" || seen[key] {
			rest.Values = append(rest.Values, pair)
			continue
		}
		seen[key] = true
		if text, ok := scalarText(pair.Value); !ok || text != want[key] {
			d.slips.Addf(d.pos(pair.Value), "%q must be %s, not %s", key, want[key], describe(pair.Value))
		}
	}
	for _, key := range []string{"apiVersion", "kind"} {
		if !seen[key] {
			d.slips.Addf(d.pos(root), "missing %q: %s", key, want[key])
		}
	}
	return &rest, len(d.slips.list) == 0
}

func (d *decoder) tokenPos(t *token.Token) Pos {
	if t == nil || t.Position == nil {
		return Pos{File: d.file, Line: 1, Column: 1}
	}
	return Pos{File: d.file, Line: t.Position.Line, Column: t.Position.Column}
}

// pos is where a person would say that the value starts: a block mapping at its
// first key, not at its first colon.
func (d *decoder) pos(n ast.Node) Pos {
	if m, ok := mapping(n); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		return d.tokenPos(m.Values[0].Key.GetToken())
	}
	return d.tokenPos(n.GetToken())
}
