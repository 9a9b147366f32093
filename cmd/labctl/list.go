package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"labctl/internal/lab"
	"labctl/internal/labrun"
	"labctl/labs"
)

// listed is a lab of the catalogue for programs.
type listed struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Topology string `json:"topology"`
	Writeup  string `json:"writeup"`
	Steps    int    `json:"steps"`
	Claims   int    `json:"claims"`
}

func (a *app) listCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the labs of the catalogue",
		Args:  noArgs(),
		RunE: func(*cobra.Command, []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			all := make([]listed, 0, len(labs.Names()))
			for _, name := range labs.Names() {
				l, err := labs.Open(name)
				if err != nil {
					return err
				}
				all = append(all, listedOf(l))
			}
			if output != plainOutput {
				return a.encode(output, all)
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "LAB\tSTEPS\tCLAIMS\tTOPOLOGY\tTITLE")
			for _, l := range all {
				fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\n", l.Name, l.Steps, l.Claims, l.Topology, l.Title)
			}
			return w.Flush()
		},
	}
	outputFlag(cmd, &output)
	return cmd
}

func listedOf(l lab.Lab) listed {
	return listed{
		Name: l.Name, Title: l.Title, Topology: l.Topology, Writeup: l.Writeup,
		Steps: len(l.Steps.Steps), Claims: len(labrun.Claims(l)),
	}
}
