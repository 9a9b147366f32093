package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) consoleCommand() *cobra.Command {
	var name string
	var follow bool
	cmd := &cobra.Command{
		Use:   "console NODE",
		Short: "Show what a node wrote to its serial console",
		Long: `Show what a node wrote to its serial console, its kernel's messages above all.
It needs neither the node's network nor its SSH server.`,
		Args: exactly("NODE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, _, err := a.openPair(cmd.Context(), name, true)
			if err != nil {
				return err
			}
			defer c.Hypervisor.Close()
			shown := 0
			for {
				content, err := c.Console(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				// The file may have been cut by a restart of the node.
				if shown > len(content) {
					shown = 0
				}
				if _, err := a.stdout.Write(content[shown:]); err != nil || !follow {
					return err
				}
				shown = len(content)
				select {
				case <-cmd.Context().Done():
					return nil
				case <-time.After(500 * time.Millisecond):
				}
			}
		},
	}
	nameFlag(cmd, &name)
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as more is written")
	return cmd
}

func nameFlag(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVar(name, "name", "", "name of the pair (default: the only one)")
}

func unknownNode(pair, node string, valid []string) error {
	return usagef(fmt.Sprintf("its nodes are: %v", valid), "finding node %q of pair %q: there is none", node, pair)
}
