package sample

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"labctl/internal/remote"
)

// Node is what a node has shown, with what changed.
type Node struct {
	Name  string
	Rules Pane
	Conns Pane
	// Trouble says why it could not be looked at this time; the panes are those of the
	// last time that it could.
	Trouble string
}

// Pane is one list of lines.
type Pane struct {
	Lines []Line
	// Total is how many there are now, as far as a look goes; More says that there
	// may be others.
	Total int
	More  bool
	// Local counts connections of the node with itself, which are left out.
	Local int
	// Lack says why there is nothing to see.
	Lack string
}

// Watcher looks at nodes until it is told to end.
type Watcher struct {
	// Dial opens a connection that is the watcher's own: whatever becomes of it, the
	// run does not notice.
	Dial func(ctx context.Context, node string) (remote.Conn, error)
	// Every is how long it waits between two looks at a node. It waits longer where a
	// look takes long: looking never takes more than a fifth of the time.
	Every time.Duration
	// Limit is how long one look may take, connecting included.
	Limit time.Duration
	// Told gets what each look has shown, from several goroutines, one at a time for
	// each node.
	Told func(Node)
}

// patience is how many intervals it leaves a node alone that could not be looked at.
const patience = 4

// Watch looks at each node by turns of its own until the context ends.
func (w Watcher) Watch(ctx context.Context, nodes []string) {
	var all sync.WaitGroup
	for _, name := range nodes {
		all.Go(func() { w.node(ctx, name) })
	}
	all.Wait()
}

// node looks at one node again and again.
func (w Watcher) node(ctx context.Context, name string) {
	one := looker{Watcher: w, name: name}
	defer one.hangUp()
	for {
		began := time.Now()
		now, err := one.look(ctx)
		if ctx.Err() != nil {
			return // nobody knows whether that was the reason
		}
		pause := max(w.Every, 4*time.Since(began))
		if err != nil {
			pause = max(pause, patience*w.Every)
		}
		w.Told(now)
		wait := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		}
	}
}

// looker has the connection to one node, and what it showed before.
type looker struct {
	Watcher
	name         string
	conn         remote.Conn
	rules, conns marks
	last         Node
}

func (l *looker) look(ctx context.Context) (Node, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Limit)
	defer cancel()
	out, err := l.ask(ctx)
	if err != nil {
		// The next look is on a new connection: a node that went back to its checkpoint
		// knows nothing of the old one.
		l.hangUp()
		l.last.Name, l.last.Trouble = l.name, err.Error()
		return l.last, err
	}
	s := read(out)
	sorted := slices.Sorted(slices.Values(s.conns))
	l.last = Node{
		Name:  l.name,
		Rules: Pane{Lines: l.rules.next(s.rules), Total: len(s.rules), More: len(s.rules) >= most, Lack: s.rulesLack},
		Conns: Pane{Lines: changedFirst(l.conns.next(sorted)), Total: len(sorted), More: len(sorted)+s.local >= most, Local: s.local, Lack: s.connsLack},
	}
	return l.last, nil
}

func (l *looker) ask(ctx context.Context) (string, error) {
	if l.conn == nil {
		conn, err := l.Dial(ctx, l.name)
		if err != nil {
			return "", fmt.Errorf("connecting to %q: %w", l.name, err)
		}
		l.conn = conn
	}
	out, err := l.conn.Run(ctx, command())
	if err != nil {
		return "", fmt.Errorf("looking at %q: %w", l.name, err)
	}
	if out.Exit != 0 && len(out.Stdout) == 0 {
		return "", fmt.Errorf("looking at %q: %w", l.name, errors.New(strings.TrimSpace(string(out.Stderr))))
	}
	return strings.ToValidUTF8(string(out.Stdout), "?"), nil
}

func (l *looker) hangUp() {
	if l.conn != nil {
		_ = l.conn.Close() // nothing more is asked of it
		l.conn = nil
	}
}

// changedFirst puts what came or went to the top: connections have no order.
func changedFirst(all []Line) []Line {
	slices.SortStableFunc(all, func(a, b Line) int { return rank(a) - rank(b) })
	return all
}

func rank(l Line) int {
	switch {
	case l.New:
		return 0
	case l.Gone:
		return 1
	}
	return 2
}
