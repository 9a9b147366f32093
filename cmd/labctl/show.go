package main

import (
	"github.com/spf13/cobra"

	"labctl/internal/lab"
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
			_, err = a.stdout.Write([]byte(labdoc.Markdown(l)))
			return err
		},
	}
}

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of lab files, for editors",
		Long: `Print the JSON Schema of lab files. An editor with a YAML language server
completes a lab whose first line is

  # yaml-language-server: $schema=PATH-OF-THE-SCHEMA`,
		Args: noArgs(),
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(lab.Schema())
			return err
		},
	}
}
