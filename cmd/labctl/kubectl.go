package main

import (
	"strings"

	"github.com/spf13/cobra"

	"labctl/internal/remote/ssh"
)

func (a *app) kubectlCommand() *cobra.Command {
	var m meant
	cmd := &cobra.Command{
		Use:   "kubectl -- ARGUMENTS…",
		Short: "Run kubectl on the control plane",
		Long: `Run kubectl on the pair's control plane, as the administrator, with this
process's streams and exit code. It works wherever "labctl ssh" does, so with a
private hypervisor too, and the version is always the cluster's own.`,
		Example: "  labctl kubectl -- get nodes -o wide\n  labctl kubectl -- apply -f - < manifest.yaml",
		Args:    atLeast(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, _, err := a.openPair(cmd.Context(), m.name, true)
			if err != nil {
				return err
			}
			defer c.Hypervisor.Close()
			cp, err := controlPlane(c)
			if err != nil {
				return err
			}
			words := []string{"kubectl"}
			for _, arg := range args {
				words = append(words, ssh.Quote(arg))
			}
			return a.session(cmd.Context(), c, cp, strings.Join(words, " "))
		},
	}
	nameFlag(cmd, &m, onlyOne)
	return cmd
}
