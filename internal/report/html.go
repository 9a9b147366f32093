package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"labctl/internal/journal"
)

// Of each stream the page shows this much; the run's folder has the rest. A page
// with a thousand attempts must still open.
const (
	maxHTMLStream  = 64 << 10
	maxHTMLScript  = 16 << 10
	maxHTMLEarlier = 200 // columns of the reason why an earlier attempt did not pass
)

//go:embed page.html.tmpl
var pageSource string

//go:embed page.css
var pageStyle string

// HTML returns report.html: one file that needs no other and no network, and
// runs no scripts; its own policy forbids both. What may fold does so with the
// browser's own means, and the table of claims is filtered by its style alone.
func HTML(r journal.Result) ([]byte, error) { return fill(newPage(r), pageSource) }

// fill makes a page of a template. Later ones may use what the first defines.
func fill(content any, sources ...string) ([]byte, error) {
	page, err := parse(sources...)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := page.Execute(&b, content); err != nil {
		return nil, fmt.Errorf("filling the page: %w", err)
	}
	return b.Bytes(), nil
}

func parse(sources ...string) (*template.Template, error) {
	page := template.New("page").Funcs(template.FuncMap{
		"pieces":  pieces,
		"short":   short,
		"class":   class,
		"anchor":  anchor,
		"line":    func(limit int, text string) string { return line(text, limit) },
		"number":  func(f float64) string { return fmt.Sprintf("%.2f", f) },
		"signed":  func(f float64) string { return fmt.Sprintf("%+.3f s", f) },
		"seconds": seconds,
	})
	for i, source := range sources {
		if i > 0 {
			page = page.New(fmt.Sprint(i))
		}
		if _, err := page.Parse(source); err != nil {
			return nil, fmt.Errorf("parsing the page: %w", err)
		}
	}
	return page, nil
}

// policy lets the page use its own styles, known by their hashes, and nothing else.
func policy(styles ...string) string {
	text := "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src"
	for _, style := range styles {
		hash := sha256.Sum256([]byte(style))
		text += " 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
	}
	return text
}

// class is the CSS class of a verdict: a word of ours, whatever the verdict is.
func class(verdict string) string {
	name := strings.ReplaceAll(verdict, " ", "-")
	for _, known := range []string{
		"pass", "fail", "error", "skipped", "not-run",
		"holds", "moved", "wrong", "answered", "failed", "not-shown-here", "about-a-document", "not-judged",
		"restored", "not-restored", "kept", "not-compared",
		"solved", "given-up", "not-ended", "not-set-up",
	} {
		if name == known {
			return "v-" + known
		}
	}
	return "v-other"
}

// anchor is where a link to a step leads.
func anchor(id string) string {
	return "s-" + strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, short(id))
}
