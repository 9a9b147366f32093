package draft

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// markdown reads CommonMark. Lists and quotations count as what is in them.
func markdown(content string) []piece {
	source := []byte(withoutFrontMatter(content))
	r := mdReader{source: source}
	r.blocks(goldmark.DefaultParser().Parse(text.NewReader(source)))
	return r.pieces
}

// withoutFrontMatter blanks out what site generators read, so that the lines of
// the rest have their numbers.
func withoutFrontMatter(content string) string {
	if !strings.HasPrefix(content, "---\n") {
		return content
	}
	end := strings.Index(content[4:], "\n---\n")
	if end < 0 {
		return content
	}
	end += 4 + len("\n---\n")
	return strings.Repeat("\n", strings.Count(content[:end], "\n")) + content[end:]
}

type mdReader struct {
	source []byte
	pieces []piece
}

func (r *mdReader) blocks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			r.pieces = append(r.pieces, piece{heading: r.words(n), line: r.line(n)})
		case *ast.Paragraph, *ast.TextBlock:
			r.pieces = append(r.pieces, piece{paragraph: r.words(n), line: r.line(n)})
		case *ast.FencedCodeBlock:
			r.pieces = append(r.pieces, piece{code: r.code(n), language: strings.ToLower(string(n.Language(r.source))), line: r.line(n)})
		case *ast.CodeBlock:
			r.pieces = append(r.pieces, piece{code: r.code(n), line: r.line(n)})
		default:
			r.blocks(n)
		}
	}
}

// line is where the text of a block starts, from 1.
func (r *mdReader) line(n ast.Node) int {
	lines := n.Lines()
	if lines == nil || lines.Len() == 0 {
		return 1
	}
	return 1 + strings.Count(string(r.source[:lines.At(0).Start]), "\n")
}

func (r *mdReader) code(n ast.Node) []string {
	text := strings.TrimRight(string(n.Lines().Value(r.source)), "\n")
	if blank(text) {
		return nil
	}
	return strings.Split(text, "\n")
}

// words is the text of a block, its marks left out.
func (r *mdReader) words(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(r.source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.URL(r.source))
		}
		return ast.WalkContinue, nil
	}) // the function returns no error
	return strings.Join(strings.Fields(b.String()), " ")
}
