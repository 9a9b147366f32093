package provision

import (
	"context"
	"fmt"
	"strings"
	"time"

	"labctl/internal/remote"
	"labctl/topology"
)

// maxSkew is the most that a node's clock may differ from this machine's, and
// so at most twice that from another node's.
const maxSkew = 500 * time.Millisecond

// stepClocks is a rung: it sets every node's clock to this machine's time
// (after a revert it stands where the checkpoint was taken) and looks again.
func (n *Nodes) stepClocks(ctx context.Context, say func(string)) error {
	return n.each(func(node topology.Node) error {
		return await(ctx, time.Second, func() error { return n.stepClock(ctx, node, say) })
	})
}

func (n *Nodes) stepClock(ctx context.Context, node topology.Node, say func(string)) error {
	conn, err := n.Conn(ctx, node.Name)
	if err != nil {
		return err
	}
	before, err := measureSkew(ctx, conn)
	if err != nil || before.small() {
		return err
	}
	// The node adds the difference to its own time, so that it does not matter
	// how long the command is under way.
	set := fmt.Sprintf(`t=$(($(date +%%s%%N) - %d)); date -u -s "@$((t / 1000000000)).$(printf %%09d $((t %% 1000000000)))" >/dev/null`, before.ahead)
	out, err := conn.Run(ctx, remote.Command{Script: set, Root: true})
	if err != nil {
		return err
	}
	if out.Exit != 0 {
		return fmt.Errorf("setting clock of node %q: %s", node.Name, strings.TrimSpace(string(out.Stderr)))
	}
	say(fmt.Sprintf("clock of %q stepped by %+.1f s", node.Name, -before.ahead.Seconds()))
	after, err := measureSkew(ctx, conn)
	if err != nil {
		return err
	}
	if !after.small() {
		return fmt.Errorf("setting clock of node %q: it is off by %s", node.Name, after.ahead)
	}
	return nil
}

// skew is how far a node's clock is ahead of this machine's, give or take the
// uncertainty.
type skew struct{ ahead, uncertainty time.Duration }

func (s skew) small() bool { return s.ahead.Abs() < maxSkew && s.uncertainty < maxSkew }

// skewSamples is how often a clock is asked at most; the quickest answer counts,
// as in NTP. A loaded emulated guest needs from 0.1 s to some seconds for one.
const skewSamples = 5

// measureSkew asks for a node's time and compares it with the middle of the
// round trip; half of the round trip is the uncertainty.
func measureSkew(ctx context.Context, conn remote.Conn) (skew, error) {
	best := skew{uncertainty: time.Hour}
	for range skewSamples {
		start := time.Now()
		out, err := conn.Run(ctx, remote.Command{Script: "date +%s.%N"})
		if err != nil {
			return skew{}, err
		}
		half := time.Since(start) / 2
		var sec, nsec int64
		if _, err := fmt.Sscanf(strings.TrimSpace(string(out.Stdout)), "%d.%d", &sec, &nsec); err != nil {
			return skew{}, fmt.Errorf("reading clock %q: %w", out.Stdout, err)
		}
		if half < best.uncertainty {
			best = skew{time.Unix(sec, nsec).Sub(start.Add(half)), half}
		}
		if best.uncertainty < maxSkew/2 {
			break
		}
	}
	return best, nil
}
