// Package site makes web pages of the project's own documents: README.md,
// docs/*.md and the like, with their links among each other. The pages need no
// network, no scripts and no fonts, and a link that leads nowhere is an error.
package site

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Page is one document.
type Page struct {
	// File is its path in the repository, with slashes; Short its name in the
	// navigation.
	File, Short string
}

// Pages are all documents of the site, in the order in which one reads them. The
// first is its front page.
func Pages() []Page {
	return []Page{
		{"README.md", "labctl"},
		{"docs/writing-a-lab.md", "Writing a lab"},
		{"docs/checks.md", "Checks"},
		{"docs/instructor.md", "For the instructor"},
		{"docs/nightly.md", "Every night"},
		{"docs/troubleshooting.md", "Troubleshooting"},
		{"docs/formats.md", "Files, outputs, exit codes"},
		{"docs/design.md", "Design"},
		{"CONTRIBUTING.md", "Contributing"},
		{"CHANGELOG.md", "Changelog"},
	}
}

// name is the file that a page becomes, beside all others.
func (p Page) name() string {
	if p.File == Pages()[0].File {
		return "index.html"
	}
	return strings.ToLower(strings.TrimSuffix(path.Base(p.File), ".md")) + ".html"
}

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed style.css
	style []byte
)

// document is a page that was read.
type document struct {
	Page
	source []byte
	tree   ast.Node
	// headings by their anchors, in order of their places.
	headings []heading
}

type heading struct {
	ID, Text string
	level    int
}

func (d *document) has(anchor string) bool {
	for _, h := range d.headings {
		if h.ID == anchor {
			return true
		}
	}
	return false
}

// manySections is from how many on a page's sections have none of their own in the
// navigation.
const manySections = 6

// sections are the headings that the navigation has.
func (d *document) sections() []heading {
	var major, all []heading
	for _, h := range d.headings {
		if h.level == 2 {
			major = append(major, h)
		}
		if h.level == 2 || h.level == 3 {
			all = append(all, h)
		}
	}
	if len(major) >= manySections {
		return major
	}
	return all
}

// Minor says that the heading is below another in the navigation.
func (h heading) Minor() bool { return h.level > 2 }

// Build makes the site of the repository in the folder root and writes it to the
// folder out, which may exist. What other files it has stays there. It returns how
// many pages there are; the error names every link that leads nowhere.
func Build(root, out string) (int, error) {
	s := builder{root: os.DirFS(root), out: out, documents: map[string]*document{}}
	for _, p := range Pages() {
		d, err := s.read(p)
		if err != nil {
			return 0, err
		}
		s.documents[p.File] = d
	}
	shape, err := template.New("page").Parse(pageText)
	if err != nil {
		return 0, fmt.Errorf("reading the pages' template: %w", err)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return 0, fmt.Errorf("making site's folder: %w", err)
	}
	var slips []error
	for _, p := range Pages() {
		if err := s.write(s.documents[p.File], shape); err != nil {
			slips = append(slips, err)
		}
	}
	if err := errors.Join(slips...); err != nil {
		return 0, err
	}
	return len(Pages()), s.put("style.css", style)
}

type builder struct {
	root      fs.FS
	out       string
	documents map[string]*document
}

func (s builder) read(p Page) (*document, error) {
	source, err := fs.ReadFile(s.root, p.File)
	if err != nil {
		return nil, fmt.Errorf("reading page: %w", err)
	}
	d := &document{Page: p, source: source, tree: markdown().Parser().Parse(text.NewReader(source))}
	return d, ast.Walk(d.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering {
			id, _ := h.AttributeString("id")
			anchor, _ := id.([]byte)
			d.headings = append(d.headings, heading{ID: string(anchor), Text: words(h, source), level: h.Level})
		}
		return ast.WalkContinue, nil
	})
}

// words are a node's, without their marks.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function has no errors
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// write makes one page.
func (s builder) write(d *document, shape *template.Template) error {
	if err := s.relink(d); err != nil {
		return err
	}
	var body bytes.Buffer
	if err := markdown().Renderer().Render(&body, d.source, d.tree); err != nil {
		return fmt.Errorf("rendering %q: %w", d.File, err)
	}
	type entry struct {
		Name, Text string
		Here       bool
	}
	data := struct {
		Title    string
		Pages    []entry
		Sections []heading
		Body     template.HTML
		Next     *entry
	}{Title: d.headings[0].Text, Body: template.HTML(body.String())} //nolint:gosec // goldmark leaves out raw HTML
	pages := Pages()
	for i, p := range pages {
		data.Pages = append(data.Pages, entry{p.name(), p.Short, p == d.Page})
		if i > 0 && pages[i-1] == d.Page {
			data.Next = &entry{Name: p.name(), Text: p.Short}
		}
	}
	data.Sections = d.sections()
	var page bytes.Buffer
	if err := shape.Execute(&page, data); err != nil {
		return fmt.Errorf("making page of %q: %w", d.File, err)
	}
	return s.put(d.name(), page.Bytes())
}

// put writes a file of the site.
func (s builder) put(name string, content []byte) error {
	file := filepath.Join(s.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("writing page: %w", err)
	}
	if err := os.WriteFile(file, content, 0o644); err != nil {
		return fmt.Errorf("writing page: %w", err)
	}
	return nil
}
