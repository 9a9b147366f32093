package main

import (
	"github.com/spf13/cobra"

	"labctl/internal/lab"
)

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
