package report_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/needtest"
	"labctl/internal/report"
)

func page(t *testing.T, r journal.Result) string {
	t.Helper()
	content, err := report.HTML(r)
	require.NoError(t, err)
	return string(content)
}

// TestHTMLIsAlone: one file, no scripts, no other address.
func TestHTMLIsAlone(t *testing.T) {
	for kind, r := range results() {
		t.Run(kind, func(t *testing.T) {
			html := page(t, r)
			assert.NotContains(t, html, "<script")
			assert.NotRegexp(t, `<[a-z][^>]* on[a-z]+=`, html)
			assert.NotContains(t, html, "ZgotmplZ", "html/template refused something")
			for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(html, -1) {
				u, err := url.Parse(m[1])
				require.NoError(t, err)
				assert.Empty(t, u.Host, m[0])
				assert.Contains(t, []string{"", "data"}, u.Scheme, m[0])
			}
		})
	}
}

func TestHTMLOpensWhatMatters(t *testing.T) {
	html := page(t, realistic())
	assert.Contains(t, html, `<details class="step v-fail" id="s-step-06" open>`)
	assert.Contains(t, html, `<details class="step v-error" id="s-step-07" open>`)
	assert.Contains(t, html, `<details class="step v-pass" id="s-step-01">`)
	assert.Contains(t, html, `<b>EMULATED</b>`)
	r := realistic()
	r.Run.Accelerator = "kvm"
	assert.NotContains(t, page(t, r), `EMULATED`)
}

// browser loads a page in a real browser, and returns what became of it and what
// was said on its console.
func browser(t *testing.T, html string, args ...string) (dom string, console []string) {
	t.Helper()
	path := needtest.Program(t, "chromium")
	dir := t.TempDir()
	file := filepath.Join(dir, "report.html")
	require.NoError(t, os.WriteFile(file, []byte(html), 0o644))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args = append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
		"--enable-logging=stderr", "--window-size=1280,800", "--user-data-dir=" + filepath.Join(dir, "profile"), "--dump-dom",
	}, args...)
	cmd := exec.CommandContext(ctx, path, append(args, "file://"+file)...)
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), "%.2000s", &stderr)
	for l := range strings.Lines(stderr.String()) {
		if strings.Contains(l, ":CONSOLE") {
			console = append(console, l)
		}
	}
	return stdout.String(), console
}

func TestHTMLInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser: run without -short, with chromium there, as `make test` does")
	}
	for _, c := range []struct {
		kind string
		want []string
	}{
		{"realistic", []string{`<p class="word">error</p>`, "restored by the repair", "<b>EMULATED</b>"}},
		{"hostile", []string{`<p class="word">fail</p>`, "&lt;script&gt;alert(1)&lt;/script&gt;", `<i class="x">\u202e</i>gnisrever`, `nul <i class="x">\x00</i> text \x00`}},
		{"drawn", []string{"<title>The reset</title>", `<tspan class="odd">10.244.1.4</tspan>`, "seq 200000001 ack 1 len 7"}},
		{"unloaded", []string{`<p class="word">error</p>`, `unknown key "expct"`}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			dom, console := browser(t, page(t, results()[c.kind]))
			assert.Empty(t, console)
			for _, want := range c.want {
				assert.Contains(t, dom, want)
			}
			assert.Contains(t, dom, "<footer>", "the page is whole")
		})
	}
	t.Run("its policy is in force", func(t *testing.T) {
		broken := strings.Replace(page(t, realistic()), "</footer>", `</footer><script>document.title = "owned"</script><img src="http://192.0.2.1/x.png"><p style="color: red">`, 1)
		dom, console := browser(t, broken)
		assert.NotContains(t, dom, "<title>owned")
		said := strings.Join(console, "")
		for _, want := range []string{"inline script", "192.0.2.1", "inline style"} {
			assert.Contains(t, said, want)
		}
	})
}

// policyTag is what keeps the tests' own scripts out.
var policyTag = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)

// TestHTMLWorks: with a script of the test's own in the place of the policy, the
// page is asked how it is laid out, and whether the filter filters.
func TestHTMLWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser: run without -short, with chromium there, as `make test` does")
	}
	probe := `<script>
		const say = (name, value) => document.documentElement.setAttribute("data-" + name, value)
		const rows = () => [...document.querySelectorAll("#claims tbody tr")].filter(r => r.offsetHeight > 0).length
		say("all", rows())
		document.querySelector('#claims label[for="f2"]').click()
		say("filtered", rows())
		document.querySelectorAll("details").forEach(d => d.open = true)
		say("wide", document.documentElement.scrollWidth > document.documentElement.clientWidth)
		say("tallest", Math.max(...[...document.querySelectorAll("pre")].map(p => p.offsetHeight)) <= 800)
		say("links", [...document.querySelectorAll('a[href^="#"]')].every(a => document.getElementById(a.getAttribute("href").slice(1))))
	</script></body>`
	for _, c := range []struct{ kind, size string }{{"realistic", "1280,800"}, {"hostile", "1280,800"}, {"hostile", "500,800"}} {
		t.Run(c.kind+" "+c.size, func(t *testing.T) {
			r := results()[c.kind]
			html := policyTag.ReplaceAllString(page(t, r), "")
			dom, console := browser(t, strings.Replace(html, "</body>", probe, 1), "--window-size="+c.size)
			assert.Empty(t, console)
			head, _, _ := strings.Cut(dom, "<head>")
			for _, want := range []string{
				fmt.Sprintf(`data-all="%d"`, len(r.Claims)), `data-filtered="1"`, `data-wide="false"`, `data-tallest="true"`, `data-links="true"`,
			} {
				assert.Contains(t, head, want)
			}
		})
	}
}
