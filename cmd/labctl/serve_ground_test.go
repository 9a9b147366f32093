package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// browser asks a live page, where the page can be reached.
type browser struct {
	t      *testing.T
	url    string
	client http.Client
	parts  map[string]string
	lines  *bufio.Reader
	hangUp context.CancelFunc
	said   *said
}

var pageURL = regexp.MustCompile(`the run is shown at (http://127\.0\.0\.1:\d+/[A-Z2-7]{26}/)\n`)

// dial is a dialler inside of the network that the nodes are in.
func (g *ground) dial(ctx context.Context, network, address string) (net.Conn, error) {
	type made struct {
		conn net.Conn
		err  error
	}
	done := make(chan made)
	go func() {
		runtime.LockOSThread() // the thread ends with this function, and with it where it is
		ns, err := os.Open(strings.TrimPrefix(g.enter[1], "--net="))
		if err == nil {
			defer ns.Close()
			err = unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET)
		}
		if err != nil {
			done <- made{err: err}
			return
		}
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		done <- made{conn, err}
	}()
	m := <-done
	return m.conn, m.err
}

// looks opens the page of a labctl that runs, and its stream of news.
func (g *ground) looks(t *testing.T, s *session) *browser {
	t.Helper()
	b := &browser{t: t, client: http.Client{Transport: &http.Transport{DialContext: g.dial}}, parts: map[string]string{}}
	s.when(t, func() bool {
		found := pageURL.FindStringSubmatch(s.said.String())
		if found != nil {
			b.url = found[1]
		}
		return found != nil
	})
	require.NotEmpty(t, b.url, "%s", &s.said)
	assert.Contains(t, b.get(""), `<main id="step"`)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	b.hangUp, b.said = cancel, &s.said
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+"events", nil)
	require.NoError(t, err)
	answer, err := b.client.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	b.lines = bufio.NewReader(answer.Body)
	return b
}

func (b *browser) get(path string) string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.url+path, nil)
	require.NoError(b.t, err)
	answer, err := b.client.Do(r)
	require.NoError(b.t, err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	require.NoError(b.t, err)
	require.Equal(b.t, http.StatusOK, answer.StatusCode, "%s: %s", path, content)
	return string(content)
}

// sees reads news until a part of the page is as it should be.
func (b *browser) sees(part, want string) {
	b.t.Helper()
	limit := time.AfterFunc(time.Minute, b.hangUp)
	defer limit.Stop()
	expression := regexp.MustCompile(want)
	for !expression.MatchString(b.parts[part]) {
		line, err := b.lines.ReadString('\n')
		require.NoError(b.t, err, "%s never is %q but\n%.2000s\n%s", part, want, b.parts[part], b.said)
		if data, ok := strings.CutPrefix(line, "data: {"); ok {
			require.NoError(b.t, json.Unmarshal([]byte("{"+data), &b.parts))
		}
		if strings.HasPrefix(line, "event: bye") && part == "bye" {
			return
		}
	}
}

// folder is that of a lab's latest run.
func (g *ground) folder(lab string) string { return filepath.Dir(g.latest(lab)) }

func journalText(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(content)
}
