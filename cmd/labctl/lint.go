package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"labctl/internal/strictyaml"
	"labctl/labs"
)

func (a *app) lintCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lint [PATH…]",
		Short: "Look for slips in labs without running them",
		Long: `Load labs, names of the catalogue or paths of files and folders, as "run" would,
and tell each slip with file, line and column. Without an argument, all labs of
the catalogue. The exit code is 1 if there is a slip.`,
		Example: "  labctl lint ./my-lab",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = labs.Names()
			}
			var errs error
			slips := false
			for _, name := range args {
				l, err := labs.Open(name)
				if err == nil {
					_, err = labs.Sabotage(name, l)
				}
				if err == nil || errors.Is(err, labs.ErrNoSabotage) {
					fmt.Fprintf(a.stdout, "%s: no slips\n", name)
					continue
				}
				var found *strictyaml.Error
				slips = slips || errors.As(err, &found)
				errs = errors.Join(errs, err)
			}
			if errs != nil && slips {
				a.printError(errs)
				return exitCode(exitFailed)
			}
			return errs
		},
	}
}
