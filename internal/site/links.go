package site

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"

	"github.com/yuin/goldmark/ast"
)

// relink makes a page's links those of the site: another page, a file that comes
// along, or nothing but their words where a folder of the repository is meant. An
// address of another machine stays. The error names all that lead nowhere.
func (s builder) relink(d *document) error {
	var links []*ast.Link
	var slips []error
	err := ast.Walk(d.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			links = append(links, n)
		case *ast.Image:
			slips = append(slips, fmt.Errorf("page %q: it shows the picture %q, and pages have none", d.File, n.Destination))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	for _, l := range links {
		to, err := s.target(d, string(l.Destination))
		switch {
		case err != nil:
			slips = append(slips, fmt.Errorf("page %q: the link %q leads nowhere: %w", d.File, l.Destination, err))
		case to == "":
			unlink(l)
		default:
			l.Destination = []byte(to)
		}
	}
	return errors.Join(slips...)
}

// target is where a link of a page leads to on the site; empty for nowhere.
func (s builder) target(d *document, destination string) (string, error) {
	u, err := url.Parse(destination)
	if err != nil {
		return "", err
	}
	if u.Scheme != "" {
		return destination, nil
	}
	to, file := d, d.File
	if u.Path != "" {
		file = path.Join(path.Dir(d.File), u.Path)
		to = s.documents[file]
	}
	if to != nil {
		if u.Fragment == "" {
			return to.name(), nil
		}
		if !to.has(u.Fragment) {
			return "", fmt.Errorf("%q has no heading of that name", to.File)
		}
		if to == d {
			return "#" + u.Fragment, nil
		}
		return to.name() + "#" + u.Fragment, nil
	}
	info, err := fs.Stat(s.root, file)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", nil
	}
	content, err := fs.ReadFile(s.root, file)
	if err != nil {
		return "", err
	}
	return path.Join("files", file), s.put(path.Join("files", file), content)
}

// unlink leaves a link's words in its place.
func unlink(l *ast.Link) {
	parent := l.Parent()
	for c := l.FirstChild(); c != nil; {
		next := c.NextSibling()
		parent.InsertBefore(parent, l, c)
		c = next
	}
	parent.RemoveChild(parent, l)
}
