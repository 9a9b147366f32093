package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"labctl/internal/remote/ssh"
	"labctl/provision"
	"labctl/topology"
)

func (a *app) sshCommand() *cobra.Command {
	var m meant
	cmd := &cobra.Command{
		Use:   "ssh NODE [-- COMMAND…]",
		Short: "Log in to a node, or run one command on it",
		Long: `Log in to a node with a terminal, or run one command on it with separate output
streams. The exit code is the command's. The node's pinned host key is checked;
your own known_hosts is neither read nor written.`,
		Example: "  labctl ssh cp\n  labctl ssh worker -- sudo conntrack -L",
		Args:    atLeast(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, n, err := a.openNode(cmd.Context(), m.name, args[0])
			if err != nil {
				return err
			}
			defer c.Hypervisor.Close()
			return a.session(cmd.Context(), c, n, strings.Join(args[1:], " "))
		},
	}
	nameFlag(cmd, &m, onlyOne)
	return cmd
}

// openNode opens the pair and finds one of its nodes, by name or role.
func (a *app) openNode(ctx context.Context, pair, node string) (*provision.Cluster, topology.Node, error) {
	c, _, err := a.openPair(ctx, pair, true)
	if err != nil {
		return nil, topology.Node{}, err
	}
	only, err := oneNode(c, node)
	if err != nil {
		return nil, topology.Node{}, errors.Join(err, c.Hypervisor.Close())
	}
	n, _ := c.Topology.Node(only)
	return c, n, nil
}

// session runs a command on a node, or a shell if it is empty, with this
// process's streams.
func (a *app) session(ctx context.Context, c *provision.Cluster, n topology.Node, command string) error {
	conn, err := dialNode(ctx, c, n)
	if err != nil {
		return err
	}
	defer conn.Close()
	var code int
	if command == "" {
		in := a.terminal()
		if in == nil {
			return usagef("give a command: labctl ssh NODE -- COMMAND", "opening a shell: standard input is not a terminal")
		}
		code, err = conn.Shell(ctx, "", in, a.stdout)
	} else {
		code, err = conn.Pipe(ctx, command, a.stdin, a.stdout, a.stderr)
	}
	if err != nil {
		return err
	}
	if code != 0 {
		return exitCode(code)
	}
	return nil
}

// dialNode connects to a node for one session: a pair's through its hypervisor, a
// host that exists already directly.
func dialNode(ctx context.Context, c *provision.Cluster, n topology.Node) (*ssh.Conn, error) {
	target, err := provision.SSHTarget(c.Dir, n)
	if err != nil {
		return nil, err
	}
	dial := (&net.Dialer{}).DialContext
	if c.Hypervisor != nil {
		dial = c.Hypervisor.Dial
	}
	return ssh.Dial(ctx, target, dial)
}

// terminal is standard input if that is one, else nil.
func (a *app) terminal() *os.File {
	in, ok := a.stdin.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return nil
	}
	return in
}

// dialCommand joins standard input and output to a node's SSH port: the
// ProxyCommand of `labctl ssh-config`.
func (a *app) dialCommand() *cobra.Command {
	var m meant
	cmd := &cobra.Command{
		Use:    "dial NODE",
		Short:  "Join standard input and output to a node's SSH port",
		Hidden: true,
		Args:   exactly("NODE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, n, err := a.openNode(cmd.Context(), m.name, args[0])
			if err != nil {
				return err
			}
			defer c.Hypervisor.Close()
			conn, err := c.Hypervisor.Dial(cmd.Context(), "tcp", netip.AddrPortFrom(n.Address, uint16(n.Port)).String())
			if err != nil {
				return err
			}
			defer conn.Close()
			go func() {
				_, _ = io.Copy(conn, a.stdin) // the other direction tells how it went
				if half, ok := conn.(interface{ CloseWrite() error }); ok {
					_ = half.CloseWrite()
				}
			}()
			_, err = io.Copy(a.stdout, conn)
			return err
		},
	}
	nameFlag(cmd, &m, onlyOne)
	return cmd
}
