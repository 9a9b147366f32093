package main

import (
	"github.com/spf13/cobra"

	"labctl/internal/labdoc"
	"labctl/labs"
)

func (a *app) docsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "docs LAB",
		Short: "Print a lab as Markdown: what its README.md says",
		Args:  exactly("LAB"),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := labs.Open(args[0])
			if err != nil {
				return err
			}
			_, err = a.stdout.Write([]byte(labdoc.Markdown(l, args[0])))
			return err
		},
	}
}
