package main

import (
	"github.com/spf13/cobra"

	"labctl/internal/labrun"
)

// runFlags are those of every command that runs a lab.
func runFlags(cmd *cobra.Command, o *runOptions) {
	f := cmd.Flags()
	placeFlags(cmd, &o.placeOptions)
	f.StringVar(&o.From, "from", "", "the first `STEP` to run; on a cluster that was kept, goes on from there")
	f.StringVar(&o.Until, "until", "", "the last `STEP` to run")
	f.StringSliceVar(&o.Only, "only", nil, "run these `STEPS` alone")
	f.BoolVar(&o.Led, "step", false, "wait before each step for an order: Enter runs it, ? lists the others; from a script, one a line")
	f.StringVar(&o.keep, "keep", string(labrun.KeepNever), `leave the cluster as the steps left it: "on-failure", "always" or "never"`)
	f.Uint64Var(&o.Seed, "shuffle", 0, "run the steps in an order made from this `SEED`, where a lab allows it")
	f.StringArrayVar(&o.vars, "var", nil, "`NAME=VALUE` of one of the lab's variables; may be repeated")
	f.StringVar(&o.report, "report", "", "write the reports into this `FOLDER`, too, whatever happens")
	f.StringVarP(&o.output, "output", "o", plainOutput, `"plain", or "json": the results on standard output`)
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show every attempt's script and output, not only of steps that do not pass")
}
