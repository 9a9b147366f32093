package strictyaml

import (
	"strings"
)

// Value is what an edit writes: Text, Plain, List, Pairs or Inline.
type Value interface {
	// block writes it behind so many blanks of indentation, the first line's left out.
	block(indent int) string
	flow() string
}

// Text is a Scalar.
type Text string

// Plain is written as it is: a number, true or false.
type Plain string

// List is a list of values.
type List []Value

// Pairs is a mapping, a key in each line where there is room.
type Pairs []Pair

// Inline is a mapping in braces wherever it stands.
type Inline []Pair

// Pair is a key, a plain word, and its value.
type Pair struct {
	Key   string
	Value Value
}

// Flow writes a value in one line.
func Flow(v Value) string { return v.flow() }

func (v Text) block(int) string  { return Scalar(string(v)) }
func (v Text) flow() string      { return Scalar(string(v)) }
func (v Plain) block(int) string { return string(v) }
func (v Plain) flow() string     { return string(v) }

func (v List) block(indent int) string {
	lines := make([]string, len(v))
	for i, item := range v {
		lines[i] = "- " + item.block(indent+2)
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}

func (v List) flow() string {
	items := make([]string, len(v))
	for i, item := range v {
		items[i] = item.flow()
	}
	return "[" + strings.Join(items, ", ") + "]"
}

func (v Pairs) block(indent int) string {
	lines := make([]string, len(v))
	for i, p := range v {
		lines[i] = p.block(indent)
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}

func (p Pair) block(indent int) string {
	switch v := p.Value.(type) {
	case List, Pairs:
		return p.Key + ":\n" + strings.Repeat(" ", indent+2) + v.block(indent+2)
	}
	return p.Key + ": " + p.Value.block(indent)
}

func (v Pairs) flow() string { return Inline(v).flow() }

func (v Inline) block(int) string { return v.flow() }

func (v Inline) flow() string {
	pairs := make([]string, len(v))
	for i, p := range v {
		pairs[i] = p.Key + ": " + p.Value.flow()
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}
