package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

// The values of --output.
const (
	plainOutput = "plain"
	jsonOutput  = "json"
	yamlOutput  = "yaml"
)

// outputFlag adds -o to a command that has something to say to programs.
func outputFlag(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVarP(output, "output", "o", plainOutput, `"plain", "json" or "yaml"`)
}

// checkOutput refuses an unknown --output before anything is done.
func checkOutput(output string) error {
	return oneOf("output", output, plainOutput, jsonOutput, yamlOutput)
}

// encode prints a value for programs. The names are those of its JSON tags in
// both forms.
func (a *app) encode(output string, value any) error {
	if output == yamlOutput {
		text, err := yaml.Marshal(value)
		if err != nil {
			return fmt.Errorf("writing YAML: %w", err)
		}
		_, err = a.stdout.Write(text)
		return err
	}
	e := json.NewEncoder(a.stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false) // commands hold && and <
	return e.Encode(value)
}
