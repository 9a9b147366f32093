package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jmespath-community/go-jmespath/pkg/api"
	"github.com/jmespath-community/go-jmespath/pkg/functions"
	"github.com/jmespath-community/go-jmespath/pkg/parsing"

	"labctl/internal/strictyaml"
)

// Query is a JMESPath expression, compiled when the plan is loaded.
type Query struct {
	// Text is as it was written.
	Text string

	compiled api.JMESPath
}

// NewQuery compiles an expression. Functions must exist, since the library
// itself notices that only when it comes to calling one.
func NewQuery(expression string) (q Query, err error) {
	defer recovered(&err)
	tree, err := parsing.NewParser().Parse(expression)
	if err != nil {
		return Query{}, fmt.Errorf("query does not compile: %s", syntax(err))
	}
	if err := knownFunctions(tree); err != nil {
		return Query{}, err
	}
	compiled, err := api.Compile(expression)
	if err != nil {
		return Query{}, fmt.Errorf("query does not compile: %w", err)
	}
	return Query{Text: expression, compiled: compiled}, nil
}

// UnmarshalText is NewQuery for decoders.
func (q *Query) UnmarshalText(text []byte) (err error) {
	*q, err = NewQuery(string(text))
	return err
}

// recovered turns a panic of the library into an error: what a cluster printed
// must not end a run before its teardown.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("evaluating the query: %v", p)
	}
}

// syntax says what is wrong, and where in the expression.
func syntax(err error) string {
	var s parsing.SyntaxError
	if errors.As(err, &s) && s.Offset >= 0 {
		return fmt.Sprintf("%s, at character %d", strings.TrimPrefix(err.Error(), "SyntaxError: "), s.Offset+1)
	}
	return err.Error()
}

func knownFunctions(node parsing.ASTNode) error {
	if node.NodeType == parsing.ASTFunctionExpression {
		name, _ := node.Value.(string)
		var valid []string
		for _, f := range functions.GetDefaultFunctions() {
			valid = append(valid, f.Name)
		}
		slices.Sort(valid)
		if !slices.Contains(valid, name) {
			return fmt.Errorf("query: unknown function %q: %s", name, strictyaml.Suggest(name, valid))
		}
	}
	for _, child := range node.Children {
		if err := knownFunctions(child); err != nil {
			return err
		}
	}
	return nil
}

// find evaluates the query on a document: a string as it is, anything else as
// compact JSON.
func (q Query) find(document string) (found string, err error) {
	defer recovered(&err)
	var value any
	if err := json.Unmarshal([]byte(document), &value); err != nil {
		return "", fmt.Errorf("it is not JSON: %w", err)
	}
	value, err = q.compiled.Search(value)
	if err != nil {
		return "", fmt.Errorf("evaluating the query: %w", err)
	}
	if text, ok := value.(string); ok {
		return text, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return "", fmt.Errorf("writing what the query found: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
