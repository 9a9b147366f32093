//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// buffer may be written and read at once.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) events(t *testing.T) []event {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []event
	d := json.NewDecoder(bytes.NewReader(b.b.Bytes()))
	for {
		var e event
		if d.Decode(&e) != nil {
			return list
		}
		list = append(list, e)
	}
}

// find waits for the n-th event of a kind.
func (b *buffer) find(t *testing.T, kind string, n int) event {
	t.Helper()
	var found event
	require.Eventually(t, func() bool {
		left := n
		for _, e := range b.events(t) {
			if e.Event == kind {
				if left--; left == 0 {
					found = e
					return true
				}
			}
		}
		return false
	}, 10*time.Second, 5*time.Millisecond, kind)
	return found
}

// serving runs a server on a loopback address of its own and returns where it
// listens and where it takes orders.
func serving(t *testing.T, args ...string) (out *buffer, address, control string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("opens a raw socket, which takes CAP_NET_RAW: run as root, as `make test` does where CI runs")
	}
	port := free(t)
	out = &buffer{}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, append([]string{"serve", "--port", port, "--control", "127.0.0.1:0"}, args...), nil, out)
	}()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-done)
	})
	out.find(t, "listening", 1)
	return out, "127.0.0.1:" + port, "http://" + out.find(t, "control", 1).Local
}

func free(t *testing.T) string {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// ask sends one request and decodes the answer.
func ask(t *testing.T, method, url string, into any) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	if into != nil {
		require.NoError(t, json.Unmarshal(content, into), string(content))
	}
	return answer.StatusCode
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp4", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// The kernel takes a segment that is off by nothing: addresses, numbers and
// checksum are right.
func TestTheKernelTakesASegmentInOrder(t *testing.T) {
	_, address, control := serving(t)
	c := dial(t, address)
	var answer map[string]int
	require.Eventually(t, func() bool {
		ask(t, http.MethodPost, control+"/inject?seq-offset=0", &answer)
		return answer["injected"] == 1
	}, 5*time.Second, 10*time.Millisecond)
	require.NoError(t, c.SetReadDeadline(time.Now().Add(5*time.Second)))
	got := make([]byte, 100)
	n, err := c.Read(got)
	require.NoError(t, err)
	assert.Equal(t, "injected", string(got[:n]))
}

// And it takes none that is far off, in either direction, or the checksum of which
// is wrong: the connection goes on.
func TestTheKernelDropsASegmentOutOfOrder(t *testing.T) {
	for _, offset := range []string{"200000000", "-100000"} {
		t.Run(offset, func(t *testing.T) {
			out, address, _ := serving(t, "--delay", "0s", "--seq-offset", offset)
			c := dial(t, address)
			e := out.find(t, "injected", 1)
			assert.Equal(t, c.LocalAddr().String(), e.Remote)
			_, err := io.WriteString(c, "ping\n")
			require.NoError(t, err)
			require.NoError(t, c.SetReadDeadline(time.Now().Add(5*time.Second)))
			got := make([]byte, 100)
			n, err := c.Read(got)
			require.NoError(t, err)
			assert.Equal(t, "ping\n", string(got[:n]))
		})
	}
}

// A client that resets is seen twice: by its RST and by the socket.
func TestServerSeesAReset(t *testing.T) {
	out, address, control := serving(t)
	c := dial(t, address)
	out.find(t, "accepted", 1)
	require.NoError(t, c.(*net.TCPConn).SetLinger(0))
	require.NoError(t, c.Close())
	rst := out.find(t, "rst", 1)
	require.NotNil(t, rst.Offset)
	assert.Zero(t, *rst.Offset)
	out.find(t, "reset", 1)
	var sum summary
	ask(t, http.MethodGet, control+"/connections", &sum)
	assert.Equal(t, []int{1, 0, 1, 1}, []int{sum.Connections, sum.Open, sum.Reset, sum.RST})
	assert.Equal(t, http.StatusNoContent, ask(t, http.MethodDelete, control+"/connections", nil))
	ask(t, http.MethodGet, control+"/connections", &sum)
	assert.Zero(t, sum.Connections)
}

func TestControlRefuses(t *testing.T) {
	_, _, control := serving(t)
	for _, offset := range []string{"x", "2147483648", "-2147483648", "99999999999999999999"} {
		assert.Equal(t, http.StatusBadRequest, ask(t, http.MethodPost, control+"/inject?seq-offset="+offset, nil), offset)
	}
	assert.Equal(t, http.StatusMethodNotAllowed, ask(t, http.MethodGet, control+"/inject", nil))
}

// connecting runs a client to its end and returns what it counted.
func connecting(t *testing.T, stdin io.Reader, args ...string) []Tally {
	t.Helper()
	out := &buffer{}
	require.NoError(t, run(t.Context(), append([]string{"connect"}, args...), stdin, out))
	var list []Tally
	for _, e := range out.events(t) {
		if e.Event == "done" {
			list = append(list, *e.Tally)
		}
	}
	return list
}

func TestClientAndServer(t *testing.T) {
	out, address, _ := serving(t)
	assert.Equal(t, []Tally{{Address: address, Tries: 20, Echoed: 20}}, connecting(t, strings.NewReader("\n"), address+"=20"))
	out.find(t, "closed", 20)
	assert.Equal(t, []Tally{{Address: address, Tries: 2, Echoed: 2}}, connecting(t, strings.NewReader(""), "--speak-first", address+"=2"))
}

// Servers that do not echo, and none at all.
func TestClientTellsOutcomesApart(t *testing.T) {
	for want, serve := range map[string]func(net.Conn){
		echoed: func(c net.Conn) { _, _ = io.Copy(c, c) },
		wasRST: func(c net.Conn) {
			_, _ = c.Read(make([]byte, 1))
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		},
		silent:  func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
		closed:  func(c net.Conn) { _, _ = c.Read(make([]byte, 100)); _ = c.Close() },
		garbled: func(c net.Conn) { _, _ = io.WriteString(c, "injected\n"); _, _ = io.Copy(io.Discard, c) },
	} {
		t.Run(want, func(t *testing.T) {
			l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
			require.NoError(t, err)
			defer l.Close()
			go func() {
				if c, err := l.Accept(); err == nil {
					serve(c)
				}
			}()
			got := connecting(t, strings.NewReader(""), "--timeout", "500ms", l.Addr().String())
			require.Len(t, got, 1)
			assert.Equal(t, map[string]int{want: 1}, counts(got[0]))
		})
	}
	t.Run(refused, func(t *testing.T) {
		got := connecting(t, strings.NewReader(""), "127.0.0.1:"+free(t)+"=3")
		require.Len(t, got, 1)
		assert.Equal(t, map[string]int{refused: 3}, counts(got[0]))
	})
}

// A client that got no answer leaves without one: its line is not sent again.
func TestClientWithoutAnAnswerEndsWithRST(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	end := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			_, err = io.Copy(io.Discard, c)
		}
		end <- err
	}()
	connecting(t, strings.NewReader(""), "--timeout", "100ms", l.Addr().String())
	assert.ErrorIs(t, <-end, syscall.ECONNRESET)
}

func counts(t Tally) map[string]int {
	m := map[string]int{}
	for k, n := range map[string]int{echoed: t.Echoed, wasRST: t.Reset, silent: t.Silent, closed: t.Closed, garbled: t.Garbled, refused: t.Refused} {
		if n > 0 {
			m[k] = n
		}
	}
	return m
}

// It waits for its line, and sends nothing before.
func TestClientWaits(t *testing.T) {
	srv, address, control := serving(t)
	in, line := io.Pipe()
	done := make(chan []Tally)
	go func() { done <- connecting(t, in, address) }()
	srv.find(t, "accepted", 1)
	var sum summary
	ask(t, http.MethodGet, control+"/connections", &sum)
	assert.Zero(t, sum.Each[0].Received)
	_, err := io.WriteString(line, "\n")
	require.NoError(t, err)
	assert.Equal(t, []Tally{{Address: address, Tries: 1, Echoed: 1}}, <-done)
}

func TestBadCommandLines(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "no command"},
		{"sever", `unknown command "sever"`},
		{"serve --port 0", "from 1 to 65535"},
		{"serve --port 65536", "from 1 to 65535"},
		{"serve --seq-offset 2147483648", "at most 2147483647 away"},
		{"serve now", `"now" is too much`},
		{"connect", "nothing to connect to"},
		{"connect 127.0.0.1", "missing port in address"},
		{"connect 127.0.0.1:9000=0", "from 1 to 65535"},
		{"connect 127.0.0.1:9000=many", "from 1 to 65535"},
	} {
		err := run(t.Context(), strings.Fields(c.args), strings.NewReader(""), io.Discard)
		assert.ErrorContains(t, err, c.want, c.args)
	}
}
