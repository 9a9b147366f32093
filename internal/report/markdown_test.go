package report_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/report"
)

// render is what a real reader of GitHub's dialect makes of a report, with every
// safety switched off: what the report lets through would be there.
func render(t *testing.T, text string) string {
	t.Helper()
	return pipe(t, []byte(text), "cmark-gfm", "--unsafe", "--extension", "table", "--extension", "autolink", "--extension", "strikethrough", "--to", "html")
}

// ours are the tags that reports are made of; none has an attribute but the
// language of a code block.
var ours = regexp.MustCompile(`^</?(h[1-3]|p|ul|li|table|thead|tbody|tr|th|td|strong|code|pre|code class="language-(text|diff)")>$`)

func TestMarkdown(t *testing.T) {
	tag := regexp.MustCompile(`<[^>]*>?`)
	for kind, r := range results() {
		t.Run(kind, func(t *testing.T) {
			html := render(t, report.Markdown(r))
			for _, found := range tag.FindAllString(html, -1) {
				if !ours.MatchString(found) {
					t.Errorf("it has %q", found)
				}
			}
			headings := strings.Count(html, "<h1>")
			assert.Equal(t, 1, headings)
			claims, known := 0, []int{0, 2}
			for _, table := range r.Tables {
				known = append(known, len(table.Columns)+len(table.Captures)+2)
			}
			for row := range strings.SplitSeq(html, "<tr>") {
				if cells := strings.Count(row, "<td>"); cells == 6 {
					claims++
				} else {
					assert.Contains(t, known, cells, row)
				}
			}
			assert.Equal(t, len(r.Claims), claims, "a row for each claim, and all cells of it")
		})
	}
}

func TestMarkdownHostile(t *testing.T) {
	html := render(t, report.Markdown(hostile()))
	assert.Contains(t, html, `esc \x1b[31mred\x1b[0m nul \x00 text`, "it reads as it came")
	assert.Contains(t, html, "&lt;script&gt;alert(1)&lt;/script&gt;")
	assert.Contains(t, html, "-   blanks  matter  \n", "blanks of a difference stay")
	// The code block of the step ends where the step's account ends.
	_, after, found := strings.Cut(html, `<pre><code class="language-text">`)
	require.True(t, found)
	block, _, _ := strings.Cut(after, "</code></pre>")
	assert.Contains(t, block, "attempt 1999: fail")
	assert.Contains(t, block, "\n  ! ```````\n")
}
