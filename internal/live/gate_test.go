package live

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
)

func TestGate(t *testing.T) {
	s := serve(t)
	at, err := url.Parse(s.url)
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1", at.Hostname())
	token := strings.Trim(at.Path, "/")
	assert.Len(t, token, 26)
	for _, c := range []struct {
		what, path, host, method string
		want                     int
	}{
		{"the page", at.Path, "", "", 200},
		{"its script", at.Path + "live.js", "", "", 200},
		{"without the last slash", "/" + token, "", "", 301},
		{"through a tunnel", at.Path, "localhost:8000", "", 200},
		{"by the other family", at.Path, "[::1]:8000", "", 200},
		{"a name that somebody rebinds", at.Path, "evil.example:80", "", 403},
		{"a name that begins as ours", at.Path, "127.0.0.1.evil.example", "", 403},
		{"a name that ends as ours", at.Path, "x.localhost", "", 403},
		{"no token", "/", "", "", 403},
		{"no token, a file", "/live.js", "", "", 403},
		{"another token", "/" + strings.Repeat("A", 26) + "/", "", "", 403},
		{"a part of it", "/" + token[:25] + "/", "", "", 403},
		{"what there is not", at.Path + "nothing", "", "", 404},
		{"a step that there is not", at.Path + "step?key=steps/x", "", "", 404},
		{"out of the folder", at.Path + "report/raw/..%2f..%2fjournal.jsonl", "", "", 307},
		{"a form of somebody else's", at.Path, "", http.MethodPost, 405},
	} {
		t.Run(c.what, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), c.method, "http://"+at.Host+c.path, nil)
			require.NoError(t, err)
			if c.host != "" {
				r.Host = c.host
			}
			client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			answer, err := client.Do(r)
			require.NoError(t, err)
			defer answer.Body.Close()
			content, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			assert.Equal(t, c.want, answer.StatusCode, "%s", content)
			h := answer.Header
			assert.Contains(t, h.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self';")
			assert.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
			assert.Equal(t, "no-referrer", h.Get("Referrer-Policy"))
			assert.Equal(t, "no-store", h.Get("Cache-Control"))
			assert.Empty(t, h.Get("Access-Control-Allow-Origin"))
			assert.Empty(t, h.Get("Set-Cookie"))
			if c.want == 403 {
				assert.NotContains(t, string(content), token)
			}
		})
	}
}

func TestListenLocally(t *testing.T) {
	p, err := New()
	require.NoError(t, err)
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0"} {
		_, err := Listen(t.Context(), address, p)
		assert.Equal(t, NotLocalError{address}, err)
	}
	for _, address := range []string{"nonsense", "127.0.0.1:nonsense"} {
		_, err := Listen(t.Context(), address, p)
		assert.ErrorContains(t, err, address)
	}
}

// TestPageNeedsNoNetwork: nothing of the page names another server.
func TestPageNeedsNoNetwork(t *testing.T) {
	for _, name := range []string{"index.html", "live.css", "live.js", "keys.js", "parts.html.tmpl"} {
		content, err := os.ReadFile(filepath.Join("page", name))
		require.NoError(t, err)
		assert.NotRegexp(t, `(?i)https?://|//[a-z0-9-]+\.[a-z]|@import|url\(|<script>|<style|style=| on[a-z]+="`, string(content), name)
	}
}

// stream has the events of a stream, each as "id data".
func stream(t *testing.T, s *served, last string) (next func() (id, event, data string), end func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	answer := s.get(t, "events", func(r *http.Request) {
		if last != "" {
			r.Header.Set("Last-Event-ID", last)
		}
		*r = *r.WithContext(ctx)
	})
	require.Equal(t, "text/event-stream", answer.Header.Get("Content-Type"))
	lines := bufio.NewReader(answer.Body)
	return func() (id, event, data string) {
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return id, "end", ""
			}
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			switch key {
			case "id":
				id = value
			case "event":
				event = value
			case "data":
				data = value
			case "":
				if data != "" {
					return id, event, data
				}
			}
		}
	}, cancel
}

func TestStream(t *testing.T) {
	s := serve(t)
	_, events := recorded(t)
	next, end := stream(t, s, "")
	first, _, data := next()
	assert.Contains(t, data, `"head":`)
	assert.Contains(t, data, `"at":"start"`)
	require.NoError(t, s.Events(upTo(t, events, journal.StepStarted, "step-01")))
	second, _, data := next()
	assert.Contains(t, data, `"at":"steps/step-01"`)
	assert.NotEqual(t, first, second)
	end()

	// What comes while the link is down comes when it is back, and nothing twice.
	require.NoError(t, s.Nodes([]string{"cp"}))
	next, end = stream(t, s, second)
	third, _, data := next()
	assert.Contains(t, data, `"node-0":`)
	assert.NotContains(t, data, `"list":`)
	end()
	boot, change, _ := strings.Cut(second, "-")
	for _, strange := range []string{"", "nonsense", "other-" + change, boot + "-999", boot + "--1"} {
		next, end = stream(t, s, strange)
		id, _, data := next()
		assert.Equal(t, third, id, strange)
		assert.Contains(t, data, `"list":`, strange)
		end()
	}

	next, _ = stream(t, s, third)
	s.end()
	_, event, _ := next()
	assert.Equal(t, "bye", event)
	_, event, _ = next()
	assert.Equal(t, "end", event)
}
