package main

import (
	"bytes"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) consoleCommand() *cobra.Command {
	var m meant
	var follow bool
	cmd := &cobra.Command{
		Use:   "console NODE",
		Short: "Show what a node wrote to its serial console",
		Long: `Show what a node wrote to its serial console, its kernel's messages above all.
It needs neither the node's network nor its SSH server.`,
		Args: exactly("NODE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, n, err := a.openNode(cmd.Context(), m.name, args[0])
			if err != nil {
				return err
			}
			defer c.Hypervisor.Close()
			var shown []byte
			for {
				content, err := c.Console(cmd.Context(), n.Name)
				if err != nil {
					return err
				}
				if _, err := a.stdout.Write(added(shown, content)); err != nil || !follow {
					return err
				}
				shown = content
				select {
				case <-cmd.Context().Done():
					return nil
				case <-time.After(500 * time.Millisecond):
				}
			}
		},
	}
	nameFlag(cmd, &m, onlyOne)
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as more is written")
	return cmd
}

// added is what a console has more than when it was shown last. Of a long one
// only the end is kept, so both may begin in the middle; one that shares nothing
// with what was shown is another.
func added(shown, content []byte) []byte {
	if bytes.HasPrefix(content, shown) {
		return content[len(shown):]
	}
	const enough = 4096
	tail := shown[max(0, len(shown)-enough):]
	if i := bytes.LastIndex(content, tail); len(tail) > 0 && i >= 0 {
		return content[i+len(tail):]
	}
	return content
}

func unknownNode(pair, node string, valid []string) error {
	return usagef(fmt.Sprintf("its nodes are: %v", valid), "finding node %q of pair %q: there is none", node, pair)
}
