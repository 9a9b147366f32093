package provision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
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
	if err != nil || before.Abs() < maxSkew {
		return err
	}
	// The node adds the difference to its own time, so that it does not matter
	// how long the command is under way.
	set := fmt.Sprintf(`t=$((${EPOCHREALTIME/./} - %d)); date -u -s "@$((t / 1000000)).$(printf %%06d $((t %% 1000000)))" >/dev/null`, before.Microseconds())
	out, err := conn.Run(ctx, remote.Command{Script: set, Root: true})
	if err != nil {
		return err
	}
	if out.Exit != 0 {
		return fmt.Errorf("setting clock of node %q: %s", node.Name, strings.TrimSpace(string(out.Stderr)))
	}
	say(fmt.Sprintf("clock of %q stepped by %+.1f s", node.Name, -before.Seconds()))
	after, err := measureSkew(ctx, conn)
	if err != nil {
		return err
	}
	if after.Abs() >= maxSkew {
		return fmt.Errorf("setting clock of node %q: it is off by %s", node.Name, after.Round(time.Millisecond))
	}
	return nil
}

// tellTime makes bash itself say the time, again and again: no program need be
// started in between, which a loaded emulated node takes up to a second for.
const tellTime = `for i in 1 2 3 4 5 6; do echo "$EPOCHREALTIME"; sleep 0.05; done`

// measureSkew returns how far a node's clock is ahead of this machine's.
//
// A time that the node says is compared with the moment at which it arrives, so
// the node seems to be behind by as long as the line was under way. The
// quickest line of all counts; that it took less than maxSkew is assumed.
func measureSkew(ctx context.Context, conn remote.Conn) (time.Duration, error) {
	best := time.Duration(math.MinInt64)
	var rest []byte
	_, err := conn.Run(ctx, remote.Command{Script: tellTime, Stdout: func(chunk []byte) {
		arrival := time.Now()
		rest = append(rest, chunk...)
		for {
			line, after, found := bytes.Cut(rest, []byte("\n"))
			if !found {
				return
			}
			rest = after
			if said, ok := parseTime(string(line)); ok {
				best = max(best, said.Sub(arrival))
			}
		}
	}})
	if err != nil {
		return 0, err
	}
	if best == math.MinInt64 {
		return 0, errors.New("reading clock: bash on the node does not tell the time")
	}
	return best, nil
}

// parseTime reads EPOCHREALTIME: seconds, a point (or the locale's comma), and
// six digits.
func parseTime(line string) (time.Time, bool) {
	sec, frac, found := strings.Cut(strings.Replace(line, ",", ".", 1), ".")
	s, err1 := strconv.ParseInt(sec, 10, 64)
	us, err2 := strconv.ParseInt(frac, 10, 64)
	return time.Unix(s, us*1000), found && err1 == nil && err2 == nil && len(frac) == 6
}
