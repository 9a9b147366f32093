package runner

import (
	"context"
	"encoding/json"
	"fmt"
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
	"labctl/internal/remote/memory"
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

// lab is an engine with two nodes, a and b, and what it said.
type lab struct {
	*Engine
	clock  *fakeClock
	nodes  map[string]*memory.Conn
	events []journal.Event
	dials  atomic.Int32
}

func newLab() *lab {
	l := &lab{clock: &fakeClock{now: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)}, nodes: map[string]*memory.Conn{}}
	for _, name := range []string{"a", "b"} {
		l.nodes[name] = memory.New()
		l.answer(name, l.echo(name))
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

// answer sets what a node does with any command.
func (l *lab) answer(node string, do func(remote.Command) memory.Answer) {
	l.nodes[node].When(func(remote.Command) bool { return true }, do)
}

// exit is a script that ends at once and says nothing.
func exit(code int) func(remote.Command) memory.Answer {
	return func(remote.Command) memory.Answer { return memory.Answer{Output: remote.Output{Exit: code}} }
}

// echo plays a tiny shell: `say X` prints X with variables, `exit N` exits, and
// each command takes a second.
func (l *lab) echo(node string) func(remote.Command) memory.Answer {
	return func(c remote.Command) memory.Answer {
		l.clock.advance(time.Second)
		verb, rest, _ := strings.Cut(strings.TrimSpace(c.Script), " ")
		var out remote.Output
		switch verb {
		case "say":
			text := os.Expand(rest, func(name string) string {
				if name == "NODE" {
					return node
				}
				return c.Env[name]
			})
			out.Stdout = []byte(text + "\n")
		case "exit":
			_, err := fmt.Sscan(rest, &out.Exit)
			return memory.Answer{Output: out, Err: err}
		default:
			out.Exit, out.Stderr = 127, []byte(verb+": not found\n")
		}
		return memory.Answer{Output: out}
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
