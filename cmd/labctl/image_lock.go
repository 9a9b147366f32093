package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func (a *app) imageLockCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "lock",
		Short: "Show what has changed in the package archive since image.lock",
		Long: `Ask the package archive for today's packages and show how they differ from the
lock that this program builds from. With --file the new lock is written there:
in a checkout, provision/image/image.lock.`,
		Args: noArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := a.images()
			if err != nil {
				return err
			}
			next, err := store.Lock(cmd.Context(), func(text string) { fmt.Fprintln(a.stderr, text) })
			if err != nil {
				return err
			}
			changes := store.CurrentLock().Changes(next)
			for _, c := range changes {
				fmt.Fprintln(a.stdout, c)
			}
			fmt.Fprintf(a.stderr, "%d changes\n", len(changes))
			if file == "" {
				return nil
			}
			if err := os.WriteFile(file, []byte(next.String()), 0o644); err != nil {
				return fmt.Errorf("writing lock: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "write the new lock there")
	return cmd
}
