package strictyaml

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
)

// Document is a file's text with its tree, for edits in place: what is not
// edited stays as it is, comments, quotes and blanks included.
type Document struct {
	d decoder
	// text has newlines alone; windows are those that are more in the file.
	text    string
	windows map[int]bool
	root    ast.Node
	parent  map[ast.Node]ast.Node
	// starts are where tokens and comments start, in bytes, in order.
	starts  []int
	lines   []int // where lines start, in bytes
	splices []splice
}

// splice puts text in place of the bytes from..to.
type splice struct {
	from, to int
	text     string
}

// Node is a value of a Document.
type Node struct {
	doc *Document
	n   ast.Node
}

// OpenDocument reads a file that Decode accepts. The error is an *Error.
func OpenDocument(name string, data []byte) (*Document, error) {
	doc := &Document{d: decoder{file: name}, text: string(data), windows: map[int]bool{}, parent: map[ast.Node]ast.Node{}}
	m := doc.d.parse(data)
	if m == nil {
		return nil, doc.d.slips.Err()
	}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		doc.d.slips.Addf(Pos{File: name, Line: 1, Column: 1}, "a byte order mark: take it away before the file is edited")
		return nil, doc.d.slips.Err()
	}
	doc.text = strings.ReplaceAll(doc.text, "\r\n", "\n")
	doc.root = m
	at := 0
	for line := range strings.Lines(string(data)) {
		doc.lines = append(doc.lines, at)
		bare, windows := strings.CutSuffix(line, "\r\n")
		if at += len(line); windows {
			at--
			doc.windows[doc.lines[len(doc.lines)-1]+len(bare)] = true
		}
	}
	doc.lines = append(doc.lines, at)
	for _, t := range lexer.Tokenize(doc.text) {
		doc.starts = append(doc.starts, doc.offset(Pos{Line: t.Position.Line, Column: max(1, t.Position.Column)}))
	}
	slices.Sort(doc.starts)
	doc.adopt(m)
	return doc, nil
}

// adopt notes who is whose parent.
func (doc *Document) adopt(n ast.Node) {
	if m, ok := mapping(n); ok {
		for _, pair := range m.Values {
			doc.parent[pair.Value] = n
			doc.adopt(pair.Value)
		}
	}
	if seq, ok := n.(*ast.SequenceNode); ok {
		for _, item := range seq.Values {
			doc.parent[item] = n
			doc.adopt(item)
		}
	}
}

// offset is where a place is, in bytes.
func (doc *Document) offset(p Pos) int {
	line := doc.lines[min(p.Line, len(doc.lines))-1]
	at := line
	for range p.Column - 1 {
		if at >= len(doc.text) || doc.text[at] == '\n' {
			break
		}
		_, size := utf8.DecodeRuneInString(doc.text[at:])
		at += size
	}
	return at
}

// At is the mapping that starts at a place, as Decode tells places.
func (doc *Document) At(p Pos) (Node, bool) {
	if doc.place(doc.root) == (Pos{Line: p.Line, Column: p.Column}) {
		return Node{doc, doc.root}, true
	}
	for n := range doc.parent {
		if _, ok := mapping(n); ok && doc.place(n) == (Pos{Line: p.Line, Column: p.Column}) {
			return Node{doc, n}, true
		}
	}
	return Node{}, false
}

func (doc *Document) place(n ast.Node) Pos {
	p := doc.d.pos(n)
	return Pos{Line: p.Line, Column: p.Column}
}

// Get is the value of a mapping's key.
func (n Node) Get(key string) (Node, bool) {
	m, ok := mapping(n.n)
	if !ok {
		return Node{}, false
	}
	for _, pair := range m.Values {
		if keyText(pair) == key {
			return Node{n.doc, pair.Value}, true
		}
	}
	return Node{}, false
}

// Items are those of a list.
func (n Node) Items() []Node {
	seq, ok := n.n.(*ast.SequenceNode)
	if !ok {
		return nil
	}
	items := make([]Node, 0, len(seq.Values))
	for _, item := range seq.Values {
		items = append(items, Node{n.doc, item})
	}
	return items
}

// List is the list that the value is an item of.
func (n Node) List() (Node, bool) {
	list, ok := n.doc.parent[n.n].(*ast.SequenceNode)
	return Node{n.doc, list}, ok
}

// Source is the value as it is written.
func (n Node) Source() string {
	from, to := n.span()
	return n.doc.text[from:to]
}

// Flow says that the value is written in brackets or braces, or inside of such.
func (n Node) Flow() bool {
	for at := n.n; at != nil; at = n.doc.parent[at] {
		switch at := at.(type) {
		case *ast.MappingNode:
			if at.IsFlowStyle {
				return true
			}
		case *ast.SequenceNode:
			if at.IsFlowStyle {
				return true
			}
		}
	}
	return false
}

// span is where the value stands, in bytes.
func (n Node) span() (from, to int) { return n.doc.from(n.n), n.doc.to(n.n) }

func (doc *Document) from(n ast.Node) int {
	if seq, ok := n.(*ast.SequenceNode); ok && !seq.IsFlowStyle && len(seq.Values) > 0 {
		return doc.dash(doc.from(seq.Values[0]))
	}
	return doc.offset(doc.place(n))
}

// dash is where the "-" of a block list's item is.
func (doc *Document) dash(item int) int {
	i, _ := slices.BinarySearch(doc.starts, item)
	for i--; i > 0 && doc.text[doc.starts[i]] == '#'; i-- {
	}
	return doc.starts[max(0, i)]
}

func (doc *Document) to(n ast.Node) int {
	if m, ok := mapping(n); ok {
		if m.IsFlowStyle {
			return doc.offset(doc.d.tokenPos(m.End)) + 1
		}
		last := m.Values[len(m.Values)-1]
		if isEmpty(last.Value) {
			return doc.ends(doc.offset(doc.d.tokenPos(last.GetToken())))
		}
		return doc.to(last.Value)
	}
	if seq, ok := n.(*ast.SequenceNode); ok {
		if seq.IsFlowStyle {
			return doc.offset(doc.d.tokenPos(seq.End)) + 1
		}
		return doc.to(seq.Values[len(seq.Values)-1])
	}
	from := doc.offset(doc.place(n))
	if _, ok := n.(*ast.LiteralNode); ok {
		return doc.blockEnds(doc.lineEnd(from))
	}
	return doc.ends(from)
}

// blockEnds is where the lines end that are indented as the first of them, which
// follows the place.
func (doc *Document) blockEnds(at int) int {
	indent, end := 0, at
	for at < len(doc.text) {
		next := doc.lineEnd(at + 1)
		line := doc.text[at+1 : next]
		bare := strings.TrimLeft(line, " ")
		depth := len(line) - len(bare)
		if bare != "" {
			if indent == 0 {
				indent = depth
			}
			if depth < indent {
				break
			}
			end = next
		}
		at = next
	}
	return end
}

// ends is where what starts there ends: before the blanks that lead to the next.
func (doc *Document) ends(from int) int {
	next := len(doc.text)
	if i, _ := slices.BinarySearch(doc.starts, from+1); i < len(doc.starts) {
		next = doc.starts[i]
	}
	return from + len(strings.TrimRight(doc.text[from:next], " \t\r\n"))
}
