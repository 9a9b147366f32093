package site

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Block is one piece of fenced code of a document. Behind its language stand words
// that say what it is, which readers of the Markdown do not see:
//
//	```yaml file=first/lab.yaml
type Block struct {
	// Line is the number of the line that opens the fence, from 1.
	Line     int
	Language string
	// Words are the rest of that line: NAME=VALUE, or NAME with an empty value.
	Words map[string]string
	Text  string
}

// Has says that one of the block's words has this name.
func (b Block) Has(name string) bool {
	_, ok := b.Words[name]
	return ok
}

// Blocks are a document's pieces of fenced code, in order.
func Blocks(source []byte) []Block {
	var blocks []Block
	tree := markdown().Parser().Parse(text.NewReader(source))
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function has no errors
		if code, ok := n.(*ast.FencedCodeBlock); ok && entering {
			blocks = append(blocks, block(code, source))
		}
		return ast.WalkContinue, nil
	})
	return blocks
}

func block(code *ast.FencedCodeBlock, source []byte) Block {
	b := Block{Words: map[string]string{}}
	if code.Info != nil {
		info := strings.Fields(string(code.Info.Value(source)))
		if len(info) > 0 {
			b.Language = info[0]
			for _, word := range info[1:] {
				name, value, _ := strings.Cut(word, "=")
				b.Words[name] = value
			}
		}
		b.Line = 1 + bytes.Count(source[:code.Info.Segment.Start], []byte("\n"))
	} else if code.Lines().Len() > 0 {
		b.Line = bytes.Count(source[:code.Lines().At(0).Start], []byte("\n"))
	}
	b.Text = string(code.Lines().Value(source))
	return b
}
