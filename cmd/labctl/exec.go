package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"labctl/internal/remote"
	"labctl/provision"
)

type execOptions struct {
	placeOptions
	limit time.Duration
}

func (a *app) execCommand() *cobra.Command {
	var o execOptions
	cmd := &cobra.Command{
		Use:   "exec NODE -- COMMAND…",
		Short: "Run one command on a node, of one pair or of all seats",
		Long: `Run one command on a node as a lab's step is run: by bash, without a terminal and
without input, with a time limit that ends all it has started. "labctl ssh" is for
what wants to be typed to.

With --all-seats it runs on that node of each seat, and each line begins with the
seat's name. The exit code is the command's; of several the highest, or 2 if a seat
could not be asked.`,
		Example: "  labctl exec cp -- kubectl get nodes\n  labctl exec --all-seats worker -- 'sudo conntrack -L | wc -l'",
		Args:    atLeast(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := o.or(nil); err != nil {
				return err
			}
			if o.limit < 0 {
				return usagef("--timeout 1m, say; 0 is none", "reading --timeout %s", o.limit)
			}
			command := strings.Join(args[1:], " ")
			if !o.allSeats {
				return a.exec(cmd.Context(), o, args[0], command)
			}
			if o.topology != "" {
				return usagef("leave out one of them", "choosing nodes: both --all-seats and --topology")
			}
			return a.execOnSeats(cmd.Context(), o, args[0], command)
		},
	}
	placeFlags(cmd, &o.placeOptions)
	allSeatsFlag(cmd, &o.meant)
	cmd.Flags().DurationVar(&o.limit, "timeout", 5*time.Minute, "how long it may take, on each seat; 0 is as long as it likes")
	return cmd
}

// exec runs a command on a node, its output as it comes.
func (a *app) exec(ctx context.Context, o execOptions, node, command string) error {
	c, _, err := a.openCluster(ctx, o.placeOptions)
	if err != nil {
		return err
	}
	if c.Hypervisor != nil {
		defer c.Hypervisor.Close()
	}
	n, err := oneNode(c, node)
	if err != nil {
		return err
	}
	nodes := c.NewNodes()
	defer nodes.Close()
	conn, err := nodes.Conn(ctx, n)
	if err != nil {
		return err
	}
	out, err := conn.Run(ctx, remote.Command{
		Script: command, Timeout: o.limit, Stdout: onto(a.stdout), Stderr: onto(a.stderr),
	})
	switch {
	case err != nil:
		return err
	case out.TimedOut:
		return timeoutError{n, c.Name, o.limit}
	case out.Exit != 0:
		return exitCode(out.Exit)
	}
	return nil
}

// execOnSeats runs a command on a node of each seat.
func (a *app) execOnSeats(ctx context.Context, o execOptions, node, command string) error {
	seats, err := a.seatsThere()
	if err != nil {
		return err
	}
	var (
		mu       sync.Mutex
		answered []int // what commands exited with
	)
	codes := a.eachSeat(ctx, seats, o.parallel, func(ctx context.Context, a *app, seat string) error {
		o := o // each its own
		o.name = seat
		err := a.exec(ctx, o, node, command)
		var code exitCode
		if err == nil || errors.As(err, &code) {
			mu.Lock()
			defer mu.Unlock()
			answered = append(answered, int(code))
		}
		return err
	})
	code := 0
	for _, c := range answered {
		code = max(code, c)
	}
	if len(answered) < len(seats) {
		// Nobody knows what it would have been there.
		code = exitError
		if ctx.Err() != nil {
			code = worst(codes)
		}
	}
	if code != exitOK {
		return exitCode(code)
	}
	return nil
}

// oneNode is the name of the node that a name or role means.
func oneNode(c *provision.Cluster, node string) (string, error) {
	if found := c.NodeNames(node); len(found) == 1 {
		return found[0], nil
	}
	var valid []string
	for _, n := range c.Topology.Machines() {
		valid = append(valid, n.Name)
	}
	return "", unknownNode(c.Name, node, valid)
}

// onto writes output as it arrives.
func onto(w io.Writer) func([]byte) {
	return func(text []byte) { _, _ = w.Write(text) } // of a terminal that is gone nobody reads
}

// timeoutError: a command was killed when its time was over.
type timeoutError struct {
	node, pair string
	limit      time.Duration
}

func (e timeoutError) Error() string {
	return fmt.Sprintf("running a command on node %q of pair %q: it was not done after %s, and was ended", e.node, e.pair, e.limit)
}
func (e timeoutError) Hint() string { return "allow more with --timeout, or none with --timeout 0" }
