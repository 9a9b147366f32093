package site

import (
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// markdown is GitHub's dialect as far as the documents use it.
func markdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		// The library's own renderers have the priority 1000.
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(code{}, 100))),
	)
}

// code renders fenced code: with the name of the file that a reader writes, and
// what is typed at a prompt set apart from what comes.
type code struct{}

// RegisterFuncs is goldmark's.
func (c code) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, c.render)
}

func (code) render(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	fenced, ok := n.(*ast.FencedCodeBlock)
	if !ok || !entering {
		return ast.WalkContinue, nil
	}
	b := block(fenced, source)
	name := b.Words["file"]
	if added := b.Words["add"]; added != "" {
		name = added + ", at its end"
	}
	if name != "" {
		if _, err := fmt.Fprintf(w, "<figure><figcaption>%s</figcaption>", html.EscapeString(name)); err != nil {
			return ast.WalkStop, err
		}
	}
	if _, err := w.WriteString("<pre tabindex=\"0\"><code>"); err != nil {
		return ast.WalkStop, err
	}
	for line := range strings.Lines(b.Text) {
		shown := html.EscapeString(line)
		if b.Language == "console" && strings.HasPrefix(line, "$ ") {
			shown = "<b>" + strings.TrimSuffix(shown, "\n") + "</b>\n"
		}
		if _, err := w.WriteString(shown); err != nil {
			return ast.WalkStop, err
		}
	}
	end := "</code></pre>\n"
	if name != "" {
		end = "</code></pre></figure>\n"
	}
	_, err := w.WriteString(end)
	return ast.WalkSkipChildren, err
}
