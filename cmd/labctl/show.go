package main

import (
	"github.com/spf13/cobra"

	"labctl/internal/labdoc"
	"labctl/labs"
)

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show LAB",
		Short: "Show a lab: its steps, what they look for, and its claims",
		Args:  exactly("LAB"),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := labs.Open(args[0])
			if err != nil {
				return err
			}
			return labdoc.Terminal(a.stdout, l)
		},
	}
}
