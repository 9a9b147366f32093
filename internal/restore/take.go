package restore

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"labctl/internal/remote"
)

//go:embed node.sh
var nodeScript string

//go:embed api.sh
var apiScript string

// Take takes the fingerprint of a cluster: one script as root on each node, all
// at once, and one on the control plane that asks its API server. The scripts
// change nothing, and each may take as long as timeout; a pair without hardware
// acceleration needs 10 s when it is idle and 30 s when it is not. An empty control plane, or one without kubeadm's
// admin.conf, has no API to ask, and a section that says so.
//
// A node that cannot be looked at whole is an error. A program that is not
// installed is not: its section has that as its one line.
func Take(ctx context.Context, nodes []string, controlPlane string, conn func(ctx context.Context, node string) (remote.Conn, error), timeout time.Duration) (Fingerprint, error) {
	f := Fingerprint{Time: time.Now().UTC()}
	sections := make([][]Section, len(nodes)+1)
	errs := make([]error, len(nodes)+1)
	var wg sync.WaitGroup
	for i, node := range nodes {
		wg.Go(func() {
			sections[i], errs[i] = look(ctx, node, conn, nodeScript, timeout, nodeSections)
		})
	}
	wg.Go(func() {
		last := len(nodes)
		if controlPlane == "" {
			sections[last] = []Section{{Cluster, API, []string{notLookedAt + "the topology has no control plane"}}}
			return
		}
		sections[last], errs[last] = look(ctx, controlPlane, conn, apiScript, timeout, apiSections)
	})
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return Fingerprint{}, err
	}
	for _, s := range sections {
		f.Sections = append(f.Sections, s...)
	}
	return f, nil
}

// look runs a script on a node and reads what it printed.
func look(ctx context.Context, node string, conn func(context.Context, string) (remote.Conn, error), script string, timeout time.Duration, read func(node string, pieces map[string]piece) ([]Section, error)) ([]Section, error) {
	sections, err := func() ([]Section, error) {
		c, err := conn(ctx, node)
		if err != nil {
			return nil, err
		}
		out, err := c.Run(ctx, remote.Command{Script: script, Root: true, Timeout: timeout})
		switch {
		case err != nil:
			return nil, err
		case out.TimedOut:
			return nil, fmt.Errorf("the script took longer than %v", timeout)
		case out.Exit != 0:
			return nil, fmt.Errorf("the script ended with %d: %s", out.Exit, lastLines(string(out.Stderr), 3))
		case out.Dropped > 0:
			return nil, fmt.Errorf("the script printed more than is kept: %d bytes are missing", out.Dropped)
		}
		pieces, err := split(string(out.Stdout))
		if err != nil {
			return nil, err
		}
		return read(node, pieces)
	}()
	if err != nil {
		return nil, fmt.Errorf("taking fingerprint of node %q: %w", node, err)
	}
	return sections, nil
}

// lastLines is the end of what a script said, on one line.
func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if lines = lines[max(0, len(lines)-n):]; lines[0] == "" {
		return "it said nothing"
	}
	return strings.Join(lines, "; ")
}
