package provision

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"sync"

	"labctl/internal/remote"
	"labctl/topology"
)

// Nodes keeps one command channel to each node and opens a new one after the old
// one was lost. Its methods may be called from several goroutines at once.
type Nodes struct {
	cluster *Cluster
	mu      sync.Mutex
	conns   map[string]*tracked
}

// NewNodes connects to nothing yet.
func (c *Cluster) NewNodes() *Nodes {
	return &Nodes{cluster: c, conns: map[string]*tracked{}}
}

// Conn returns the node's channel, opening it if need be. It tries once.
func (n *Nodes) Conn(ctx context.Context, name string) (remote.Conn, error) {
	n.mu.Lock()
	old := n.conns[name]
	n.mu.Unlock()
	if old != nil && !old.isLost() {
		return old, nil
	}
	node, ok := n.cluster.Topology.Node(name)
	if !ok {
		return nil, fmt.Errorf("connecting to node %q: %w", name, ErrNotFound)
	}
	conn, err := n.cluster.Connect(ctx, n.cluster.Dir, node, n.cluster.dial)
	if err != nil {
		return nil, err
	}
	fresh := &tracked{Conn: conn}
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := n.conns[name]; now != nil {
		// Who asked at the same time may have been faster, and be using it.
		if now != old && !now.isLost() {
			_ = conn.Close() // nothing was asked of it
			return now, nil
		}
		_ = now.Close() // nothing more is asked of it
	}
	n.conns[name] = fresh
	return fresh, nil
}

// Close ends all channels.
func (n *Nodes) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for name, c := range n.conns {
		_ = c.Close() // nothing more is asked of it
		delete(n.conns, name)
	}
}

// dial opens a stream to a node: through the hypervisor, or directly to hosts
// that exist already.
func (c *Cluster) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if c.Hypervisor != nil {
		return c.Hypervisor.Dial(ctx, network, address)
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// NodeNames are the names of the nodes that a step's `on` word means.
func (c *Cluster) NodeNames(on string) []string {
	var names []string
	for _, n := range c.Topology.Select(on) {
		names = append(names, n.Name)
	}
	return names
}

// tracked remembers whether its connection was lost.
type tracked struct {
	remote.Conn
	mu   sync.Mutex
	lost bool
}

func (t *tracked) isLost() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

func (t *tracked) note(err error) {
	if errors.Is(err, remote.ErrLost) {
		t.mu.Lock()
		t.lost = true
		t.mu.Unlock()
	}
}

func (t *tracked) Run(ctx context.Context, c remote.Command) (remote.Output, error) {
	out, err := t.Conn.Run(ctx, c)
	t.note(err)
	return out, err
}

func (t *tracked) Put(ctx context.Context, path string, mode fs.FileMode, content []byte) error {
	err := t.Conn.Put(ctx, path, mode, content)
	t.note(err)
	return err
}

func (t *tracked) Get(ctx context.Context, path string) ([]byte, error) {
	content, err := t.Conn.Get(ctx, path)
	t.note(err)
	return content, err
}

// probe opens a TCP connection to the node's SSH port and closes it.
func (n *Nodes) probe(ctx context.Context, node topology.Node) error {
	address := netip.AddrPortFrom(node.Address, uint16(node.Port))
	c, err := n.cluster.dial(ctx, "tcp", address.String())
	if err != nil {
		return err
	}
	return c.Close()
}

// Console returns what a node wrote to its serial console, at most the last
// MiB.
func (c *Cluster) Console(ctx context.Context, name string) ([]byte, error) {
	for _, n := range c.Specs().Nodes {
		if n.Node.Name == name {
			return c.Hypervisor.Console(ctx, n.Domain.Name, 1<<20)
		}
	}
	return nil, fmt.Errorf("finding node %q of pair %q: %w", name, c.Name, ErrNotFound)
}
