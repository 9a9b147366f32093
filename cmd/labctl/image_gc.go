package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"labctl/provision/image"
)

func (a *app) imageGCCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "gc [IMAGE…]",
		Short: "Remove golden images that nothing needs",
		Long: `Remove what this program would not build today: images of older inputs, the
build steps and packages they were made from, and what interrupted builds left.
With names, remove those images. An image that a pair stands on is never
removed: named, it is refused.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := a.images()
			if err != nil {
				return err
			}
			used, err := a.imageUse()
			if err != nil {
				return err
			}
			inUse := func(id string) []string { return used[id] }
			if len(args) > 0 {
				var errs error
				for _, id := range args {
					if err := store.Remove(cmd.Context(), id, inUse); err != nil {
						errs = errors.Join(errs, err)
						continue
					}
					fmt.Fprintln(a.stdout, "removed images/"+id)
				}
				return errs
			}
			swept, err := store.GC(cmd.Context(), inUse)
			a.printSwept(swept)
			return err
		},
	}
}

func (a *app) printSwept(s image.Swept) {
	for _, name := range s.Removed {
		fmt.Fprintln(a.stdout, "removed "+name)
	}
	for _, k := range s.Kept {
		fmt.Fprintf(a.stderr, "kept %s: used by %v\n", k.ID, k.Users)
	}
	if s.Work > 0 {
		fmt.Fprintf(a.stderr, "removed %d folders of interrupted builds\n", s.Work)
	}
	fmt.Fprintf(a.stderr, "%d MiB freed\n", s.Bytes>>20)
}
