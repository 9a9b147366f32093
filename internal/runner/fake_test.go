package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/remote"
)

// fakeClock moves only when someone waits, or a fake command takes its time.
type fakeClock struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *fakeClock) Wait(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	c.waits = append(c.waits, d)
	c.mu.Unlock()
	c.advance(d)
	return nil
}

// fakeNode answers commands with a function.
type fakeNode struct {
	run func(ctx context.Context, c remote.Command) (remote.Output, error)
	mu  sync.Mutex
	got []remote.Command
}

func (n *fakeNode) Run(ctx context.Context, c remote.Command) (remote.Output, error) {
	n.mu.Lock()
	n.got = append(n.got, c)
	n.mu.Unlock()
	return n.run(ctx, c)
}

func (n *fakeNode) Put(context.Context, string, fs.FileMode, []byte) error { panic("not used") }
func (n *fakeNode) Get(context.Context, string) ([]byte, error)            { panic("not used") }
func (n *fakeNode) Close() error                                           { return nil }

// lab is an engine with two nodes, a and b, and what it said.
type lab struct {
	*Engine
	clock  *fakeClock
	nodes  map[string]*fakeNode
	events []journal.Event
	dials  atomic.Int32
}

func newLab() *lab {
	l := &lab{clock: &fakeClock{now: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)}, nodes: map[string]*fakeNode{}}
	for _, name := range []string{"a", "b"} {
		l.nodes[name] = &fakeNode{run: l.echo(name)}
	}
	l.Engine = &Engine{
		Clock: l.clock,
		Select: func(on string) []string {
			switch on {
			case "all":
				return []string{"a", "b"}
			case "a", "b":
				return []string{on}
			}
			return nil
		},
		Conn: func(_ context.Context, node string) (remote.Conn, error) {
			l.dials.Add(1)
			return l.nodes[node], nil
		},
		Listen: func(e journal.Event) { l.events = append(l.events, e) },
	}
	return l
}

// echo plays a tiny shell: `say X` prints X with variables, `exit N` exits, and
// each command takes a second.
func (l *lab) echo(node string) func(context.Context, remote.Command) (remote.Output, error) {
	return func(_ context.Context, c remote.Command) (remote.Output, error) {
		l.clock.advance(time.Second)
		verb, rest, _ := strings.Cut(strings.TrimSpace(c.Script), " ")
		switch verb {
		case "say":
			text := os.Expand(rest, func(name string) string {
				if name == "NODE" {
					return node
				}
				return c.Env[name]
			})
			return remote.Output{Stdout: []byte(text + "\n"), Duration: time.Second}, nil
		case "exit":
			var out remote.Output
			_, err := fmt.Sscan(rest, &out.Exit)
			return out, err
		}
		return remote.Output{Exit: 127, Stderr: []byte(verb + ": not found\n")}, nil
	}
}

func (l *lab) of(types ...journal.Type) []journal.Event {
	var found []journal.Event
	for _, e := range l.events {
		for _, t := range types {
			if e.Type == t {
				found = append(found, e)
			}
		}
	}
	return found
}

// verdicts says "step: verdict" of every step that is over.
func (l *lab) verdicts() []string {
	var all []string
	for _, e := range l.of(journal.StepDone) {
		all = append(all, e.Step+": "+e.Verdict)
	}
	return all
}

func parse(t *testing.T, steps string) plan.Plan {
	t.Helper()
	p, err := plan.Parse("test.yaml", []byte("apiVersion: labctl/v1\nkind: Plan\nname: test\ntitle: A test\nsteps:\n"+steps))
	require.NoError(t, err)
	return p
}

func golden(t *testing.T, path string, events []journal.Event) {
	t.Helper()
	var b strings.Builder
	for _, e := range events {
		line, err := json.Marshal(e)
		require.NoError(t, err)
		b.Write(append(line, '\n'))
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String())
}
