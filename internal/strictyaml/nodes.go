package strictyaml

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// mapping returns a node's pairs. The parser has two shapes for them.
func mapping(n ast.Node) (*ast.MappingNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n, true
	case *ast.MappingValueNode:
		return ast.Mapping(n.GetToken(), false, n), true
	}
	return nil, false
}

func keyText(pair *ast.MappingValueNode) string {
	if text, ok := scalarText(pair.Key); ok {
		return text
	}
	return pair.Key.GetToken().Value
}

// scalarText returns a scalar as it was written, or as its quotes spell it.
func scalarText(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	case *ast.MappingKeyNode:
		return scalarText(n.Value)
	}
	return "", false
}

// plainText is scalarText of a scalar without quotes: "7" is not a number.
func plainText(n ast.Node) (string, bool) {
	text, ok := scalarText(n)
	t := n.GetToken().Type
	return text, ok && t != token.DoubleQuoteType && t != token.SingleQuoteType
}

func isScalar(n ast.Node) bool {
	_, ok := scalarText(n)
	return ok
}

// isEmpty says that nothing was written, which is not the word null.
func isEmpty(n ast.Node) bool {
	null, ok := n.(*ast.NullNode)
	return n == nil || ok && null.GetToken().Type == token.ImplicitNullType
}

// describe says what stands there, for "must be …, not …".
func describe(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AnchorNode:
		return "an anchor (&)"
	case *ast.AliasNode:
		return "an alias (*)"
	case *ast.TagNode:
		return "a tag (!)"
	}
	text, ok := scalarText(n)
	if !ok {
		return "this"
	}
	if line, _, more := strings.Cut(text, "\n"); more {
		text = line + "…"
	}
	if r := []rune(text); len(r) > 40 {
		text = string(r[:40]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
