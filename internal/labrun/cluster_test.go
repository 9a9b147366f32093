package labrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/remote"
	"labctl/internal/remote/memory"
	"labctl/internal/restore"
)

// cluster is one node that holds words. Its scripts are `set WORD`, `unset
// WORD`, `look`, `say TEXT`, `exit N`, `watch WORD`, `hang`, `cut`, one
// per line.
type cluster struct {
	mu     sync.Mutex
	words  map[string]bool
	node   *memory.Conn
	broken error // why nobody can connect
	resets int
	// hanging is told when a script hangs.
	hanging chan struct{}
	now     time.Time
}

func newCluster() *cluster {
	c := &cluster{words: map[string]bool{}, hanging: make(chan struct{}, 1), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	c.connect()
	return c
}

func (c *cluster) connect() {
	c.node = memory.New()
	c.node.When(func(remote.Command) bool { return true }, c.run)
}

func (c *cluster) run(cmd remote.Command) memory.Answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Second)
	switch cmd.Script {
	case probeScript:
		return memory.Answer{Output: remote.Output{Stdout: []byte("1767323045.5 6.12.0\n")}}
	case sweepScript:
		return memory.Answer{}
	}
	var out remote.Output
	for line := range strings.Lines(cmd.Script) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		for name, value := range cmd.Env {
			rest = strings.ReplaceAll(rest, "$"+name, value)
		}
		switch verb {
		case "set":
			c.words[rest] = true
		case "unset":
			delete(c.words, rest)
		case "say":
			out.Stdout = append(out.Stdout, rest+"\n"...)
		case "look":
			if c.words["deaf"] {
				return memory.Answer{Err: fmt.Errorf("%w: deaf", remote.ErrLost)}
			}
			for _, word := range slices.Sorted(maps.Keys(c.words)) {
				out.Stdout = append(out.Stdout, word+"\n"...)
			}
		case "exit":
			_, _ = fmt.Sscan(rest, &out.Exit) // a test that writes nonsense sees it
		case "cut":
			c.broken = errors.New("no route to host")
			c.node.Lose(c.broken)
			return memory.Answer{Output: out, After: time.Hour}
		case "watch":
			return memory.Answer{Output: remote.Output{Stdout: []byte("listening for " + rest + "\n")}, After: time.Hour}
		case "hang":
			c.hanging <- struct{}{}
			return memory.Answer{Output: out, After: time.Hour}
		}
	}
	return memory.Answer{Output: out}
}

func (c *cluster) look(context.Context) (restore.Fingerprint, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return restore.Fingerprint{}, c.broken
	}
	return restore.Fingerprint{Sections: []restore.Section{{Node: "a", Name: "words", Lines: slices.Sorted(maps.Keys(c.words))}}}, nil
}

func (c *cluster) copyWords() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.words)
}

func (c *cluster) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *cluster) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return context.Cause(ctx)
}

func (c *cluster) reset(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resets++
	c.broken, c.words = nil, map[string]bool{}
	c.connect()
	return nil
}

// runner is one in this place, with folders of the test's own.
func (c *cluster) runner(t *testing.T) *Runner {
	t.Helper()
	return &Runner{
		Runs: t.TempDir(), Clock: c,
		Place: Place{
			Dir: t.TempDir(), Info: journal.Run{Pair: "p", Topology: "small", Nodes: []journal.Node{{Name: "a"}}},
			Select: func(on string) []string { return []string{"a"} },
			Conn: func(context.Context, string) (remote.Conn, error) {
				c.mu.Lock()
				defer c.mu.Unlock()
				return c.node, c.broken
			},
			Look: c.look, Reset: c.reset,
		},
	}
}

const head = "apiVersion: labctl/v1\nkind: Lab\nname: x\ntitle: t\nwriteup: w\ntopology: small\n"

func source(t *testing.T, body string) Source {
	t.Helper()
	file := []byte(head + body)
	l, err := lab.Parse("x.yaml", file)
	require.NoError(t, err)
	return Source{Lab: l, File: file, Topology: []byte("{}")}
}
