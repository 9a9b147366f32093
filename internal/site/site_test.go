package site

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSite builds the project's own site and follows every link in what came of it.
func TestSite(t *testing.T) {
	out := t.TempDir()
	pages, err := Build("../..", out)
	require.NoError(t, err)
	require.Len(t, Pages(), pages)

	content := map[string]string{}
	for _, p := range Pages() {
		page, err := os.ReadFile(filepath.Join(out, p.name()))
		require.NoError(t, err)
		content[p.name()] = string(page)
	}
	id := regexp.MustCompile(` id="([^"]*)"`)
	attribute := regexp.MustCompile(` (href|src)="([^"]*)"`)
	links := 0
	for name, page := range content {
		seen := map[string]bool{}
		for _, m := range id.FindAllStringSubmatch(page, -1) {
			assert.False(t, seen[m[1]], "%s: the id %q is there twice", name, m[1])
			seen[m[1]] = true
		}
		for _, m := range attribute.FindAllStringSubmatch(page, -1) {
			links++
			to := m[2]
			if strings.HasPrefix(to, "https://") {
				assert.Equal(t, "href", m[1], "%s loads %q from elsewhere", name, to)
				continue
			}
			file, anchor, _ := strings.Cut(to, "#")
			if file == "" {
				file = name
			}
			if assert.FileExists(t, filepath.Join(out, file), "%s: %q leads nowhere", name, to) && anchor != "" {
				assert.Contains(t, content[file], ` id="`+anchor+`"`, "%s: %q leads nowhere", name, to)
			}
		}
		assert.NotContains(t, page, "<script", name)
		assert.NotContains(t, page, "raw HTML omitted", "%s: Markdown alone", name)
		assert.Equal(t, 1, strings.Count(page, "<h1"), "%s: one heading above all", name)
		assert.Equal(t, 1, strings.Count(page, `aria-current="page"`), name)
	}
	assert.Greater(t, links, 200)
	assert.NotRegexp(t, `@import|url\(`, string(style), "the style needs nothing else")
}

// TestEveryDocumentIsAPage: a document that is not on the site is not found.
func TestEveryDocumentIsAPage(t *testing.T) {
	there, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, there)
	var known []string
	for _, p := range Pages() {
		known = append(known, p.File)
	}
	for _, file := range there {
		assert.Contains(t, known, "docs/"+filepath.Base(file))
	}
}

// repository writes a small one, with all pages.
func repository(t *testing.T, readme string) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "docs"), 0o755))
	for _, p := range Pages() {
		text := "# " + p.Short + "\n\n## A part\n"
		if p.File == "README.md" {
			text = readme
		}
		require.NoError(t, os.WriteFile(filepath.Join(root, p.File), []byte(text), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "docs/file.sh"), []byte("true\n"), 0o600))
	return root
}

func TestLinks(t *testing.T) {
	for link, want := range map[string]string{
		"[x](docs/design.md)":        `<a href="design.html">x</a>`,
		"[x](docs/design.md#a-part)": `<a href="design.html#a-part">x</a>`,
		"[x](#below)":                `<a href="#below">x</a>`,
		"[x](docs/file.sh)":          `<a href="files/docs/file.sh">x</a>`,
		"[x](https://example.org/)":  `<a href="https://example.org/">x</a>`,
		"see [*x* `y`](docs).":       `see <em>x</em> <code>y</code>.`,
	} {
		out := t.TempDir()
		_, err := Build(repository(t, "# labctl\n\n"+link+"\n\n## Below\n"), out)
		require.NoError(t, err, link)
		page, err := os.ReadFile(filepath.Join(out, "index.html"))
		require.NoError(t, err)
		assert.Contains(t, string(page), "<p>"+want+"</p>", link)
	}
	for link, want := range map[string]string{
		"[x](docs/none.md)":        `page "README.md": the link "docs/none.md" leads nowhere`,
		"[x](docs/design.md#part)": `"docs/design.md" has no heading of that name`,
		"[x](#above)":              `"README.md" has no heading of that name`,
		"[x](../other)":            `leads nowhere`,
		"![x](docs/file.sh)":       `pages have none`,
	} {
		_, err := Build(repository(t, "# labctl\n\n"+link+"\n"), t.TempDir())
		assert.ErrorContains(t, err, want, link)
	}
}

func TestBlocks(t *testing.T) {
	blocks := Blocks([]byte("# x\n\n```yaml file=a/b.yaml add\nk: v\n\n```\n\n```\nplain\n```\n\n- in a list:\n\n  ~~~console\n  $ a <b>\n  c\n  ~~~\n"))
	require.Len(t, blocks, 3)
	assert.Equal(t, Block{Line: 3, Language: "yaml", Words: map[string]string{"file": "a/b.yaml", "add": ""}, Text: "k: v\n\n"}, blocks[0])
	assert.True(t, blocks[0].Has("add"))
	assert.False(t, blocks[0].Has("bench"))
	assert.Equal(t, Block{Line: 8, Words: map[string]string{}, Text: "plain\n"}, blocks[1])
	assert.Equal(t, "$ a <b>\nc\n", blocks[2].Text)
	assert.Equal(t, 14, blocks[2].Line)
}

func TestCode(t *testing.T) {
	out := t.TempDir()
	_, err := Build(repository(t, "# labctl\n\n```console\n$ a <b>\nc\n```\n\n```yaml file=x.yaml\nk: $ v\n```\n"), out)
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(out, "index.html"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "<code><b>$ a &lt;b&gt;</b>\nc\n</code>")
	assert.Contains(t, string(page), "<figure><figcaption>x.yaml</figcaption><pre tabindex=\"0\"><code>k: $ v\n</code></pre></figure>")
}
