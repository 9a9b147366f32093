package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"labctl/internal/remote"
)

// shellEnd is the line that ends a shell whose commands come from a script.
const shellEnd = "exit"

// Shell opens a shell on a node, on a connection of its own: on the terminal if
// there is one, else with the lines that follow.
func (i *instructor) Shell(ctx context.Context, node string, as remote.Command) error {
	n, _ := i.place.cluster.Topology.Node(node) // it was found among its machines
	conn, err := dialNode(ctx, i.place.cluster, n)
	if err != nil {
		return err
	}
	defer conn.Close()
	who := n.User
	if as.Root {
		who = "root"
	}
	text := fmt.Sprintf("a shell on %s as %s", node, who)
	if names := slices.Sorted(maps.Keys(as.Env)); len(names) > 0 {
		text += ", which sees " + strings.Join(names, ", ")
	}
	if i.terminal != nil {
		text += "; exit or Ctrl-D comes back"
	}
	i.say("", text)
	var exit int
	if i.terminal != nil {
		exit, err = conn.Shell(ctx, conn.Interactive(as), i.terminal, i.out)
	} else {
		if as.Script, err = i.commands(ctx); err != nil {
			return err
		}
		block(i.out, "  $ ", as.Script)
		tell := func(p []byte) { _, _ = i.out.Write(p) } // the talk has nobody else to tell
		as.Stdout, as.Stderr = tell, tell
		var out remote.Output
		out, err = conn.Run(ctx, as)
		exit = out.Exit
	}
	if err != nil {
		return err
	}
	i.say("", fmt.Sprintf("back from %s (exit %d)", node, exit))
	return nil
}

// commands are the lines up to the one that ends the shell, or to the end of input.
func (i *instructor) commands(ctx context.Context) (string, error) {
	var all strings.Builder
	for {
		line, err := i.line(ctx)
		if errors.Is(err, io.EOF) || err == nil && strings.TrimSpace(line) == shellEnd {
			return all.String(), nil
		}
		if err != nil {
			return "", err
		}
		all.WriteString(line + "\n")
	}
}
