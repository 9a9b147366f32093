package labrun

import (
	"context"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"labctl/internal/journal"
	"labctl/internal/remote"
	"labctl/internal/runner"
)

// engine runs this place's plans and writes them down.
func (r *Runner) engine(rec *record, vars map[string]string) *runner.Engine {
	return &runner.Engine{
		Select: r.Place.Select, Conn: r.Place.Conn, Scale: r.Place.Scale, Clock: r.clock(),
		Vars: maps.Clone(vars), Mask: rec.mask, Keep: rec.keep, Listen: rec.event,
	}
}

// unreachable is the cause of a context that gave a node up.
type unreachable struct {
	node string
	err  error
}

func (e *unreachable) Error() string {
	return fmt.Sprintf("node %q cannot be reached: %v", e.node, e.err)
}
func (e *unreachable) Unwrap() error { return e.err }

// gate ends a context when a node stays out of reach, so that a teardown does
// not try each of its steps in vain while the checkpoint could help.
type gate struct {
	conn   func(ctx context.Context, node string) (remote.Conn, error)
	now    func() time.Time
	limit  time.Duration
	giveUp context.CancelCauseFunc

	mu    sync.Mutex
	since map[string]time.Time
}

func (g *gate) Conn(ctx context.Context, node string) (remote.Conn, error) {
	begin := g.now()
	// Where packets vanish, the kernel itself would go on trying for two minutes.
	limited, cancel := context.WithTimeoutCause(ctx, g.limit, fmt.Errorf("no answer within %s", g.limit))
	defer cancel()
	conn, err := g.conn(limited, node)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil {
		delete(g.since, node)
		return conn, nil
	}
	if _, ok := g.since[node]; !ok {
		g.since[node] = begin
	}
	if g.now().Sub(g.since[node]) >= g.limit {
		g.giveUp(&unreachable{node, err})
	}
	return nil, err
}

// reach connects to every node. A lab whose nodes cannot be reached changes
// nothing, so nothing of it needs to be torn down or restored.
func (r *Runner) reach(ctx context.Context) error {
	for _, n := range r.Place.Info.Nodes {
		limited, cancel := context.WithTimeout(ctx, r.scaled(reachLimit))
		_, err := r.Place.Conn(limited, n.Name)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// probe asks each node for its kernel and its clock, and the control plane for
// its Kubernetes.
func (r *Runner) probe(ctx context.Context) (nodes []journal.Node, kubernetes string, err error) {
	nodes = append(nodes, r.Place.Info.Nodes...)
	for i := range nodes {
		n := &nodes[i]
		conn, err := r.Place.Conn(ctx, n.Name)
		if err != nil {
			return nil, "", err
		}
		sent := time.Now()
		out, err := conn.Run(ctx, remote.Command{Script: probeScript, Timeout: r.scaled(reachLimit)})
		got := time.Now()
		if err != nil {
			return nil, "", fmt.Errorf("asking node %q for its kernel: %w", n.Name, err)
		}
		words := strings.Fields(string(out.Stdout))
		if len(words) < 2 {
			return nil, "", fmt.Errorf("asking node %q for its kernel: it answered %q", n.Name, out.Stdout)
		}
		clock, err := strconv.ParseFloat(words[0], 64)
		if err != nil {
			return nil, "", fmt.Errorf("asking node %q for its clock: %w", n.Name, err)
		}
		n.Kernel = words[1]
		// The answer was made somewhere between the two. Milliseconds are what such a
		// measurement is good for.
		middle := sent.Add(got.Sub(sent) / 2)
		n.Offset = math.Round((clock-float64(middle.UnixNano())/1e9)*1000) / 1000
		if n.Name == r.Place.ControlPlane {
			kubernetes, err = r.kubernetes(ctx, conn)
			if err != nil {
				return nil, "", err
			}
		}
	}
	return nodes, kubernetes, nil
}

const probeScript = "date +%s.%N; uname -r"

// kubernetes is the version of the kubelet, or nothing where there is none.
func (r *Runner) kubernetes(ctx context.Context, conn remote.Conn) (string, error) {
	out, err := conn.Run(ctx, remote.Command{Script: "kubelet --version", Timeout: r.scaled(reachLimit)})
	if err != nil {
		return "", fmt.Errorf("asking for the version of Kubernetes: %w", err)
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out.Stdout)), "Kubernetes "), nil
}
