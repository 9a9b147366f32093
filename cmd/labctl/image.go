package main

import (
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"labctl/provision"
	"labctl/provision/image"
)

func (a *app) imageCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "image",
		Short: "Build and look after golden images",
		Long: `A golden image is the disk that every node's own disk is an overlay of. It is
built here, from Debian packages and Go modules that image.lock and go.sum pin,
and called by the hash of all that went in.`,
	}
	cmd.AddCommand(a.imageBuildCommand(), a.imageListCommand(), a.imageVerifyCommand(), a.imageLockCommand(), a.imageGCCommand())
	return cmd
}

// images opens the cache of golden images.
func (a *app) images() (*image.Store, error) {
	dir, err := a.cacheDir()
	if err != nil {
		return nil, err
	}
	return image.Open(dir)
}

// findImage finds a golden image in the cache.
func (a *app) findImage(v image.Variant) (provision.Image, error) {
	store, err := a.images()
	if err != nil {
		return provision.Image{}, err
	}
	img, err := store.Find(v)
	if err != nil {
		return provision.Image{}, err
	}
	return provision.Image{
		ID: img.ID, Disk: img.Disk, Kernel: img.Kernel, Initrd: img.Initrd,
		KernelRelease: img.KernelRelease, DiskBytes: img.DiskBytes, MemoryMiB: img.MemoryMiB,
	}, nil
}

func variantFlags(cmd *cobra.Command, v *image.Variant) {
	f := cmd.Flags()
	f.StringVar(&v.Recipe, "recipe", image.Pair, `"pair" (a Kubernetes node) or "small" (boots to SSH, for tests)`)
	f.StringVar(&v.Kubernetes, "kubernetes", "", "Kubernetes version (default "+image.DefaultKubernetes()+")")
	f.StringVar(&v.Kernel, "kernel", "", "kernel: 6.12, 6.1 or 5.10 (default 6.12)")
}

// kubernetesFlag is --kubernetes, and --image, its first name.
func kubernetesFlag(cmd *cobra.Command, version *string) {
	f := cmd.Flags()
	usage := "Kubernetes version of the golden image (default " + image.DefaultKubernetes() + ")"
	f.StringVar(version, "kubernetes", "", usage)
	f.StringVar(version, "image", "", usage)
	f.Lookup("image").Hidden = true
}

func (a *app) imageBuildCommand() *cobra.Command {
	var v image.Variant
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build a golden image, unless it is there",
		Long: `Build a golden image into the cache. It needs root, the packages that "make deps"
installs, and the Go toolchain. The first time takes some 11 minutes on two
cores, most of it compiling Kubernetes; after that a minute or two. Ended at any
point, it goes on from there when run again. The image's name is printed, with
--dry-run before anything is built: it changes with whatever goes into the image,
so it is a key for a cache.`,
		Args: noArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := a.images()
			if err != nil {
				return err
			}
			if dryRun {
				return a.wouldBuild(store, v)
			}
			start := time.Now()
			img, err := store.Build(cmd.Context(), v, func(text string) {
				fmt.Fprintf(a.stderr, "%6.1f s  %s\n", time.Since(start).Seconds(), text)
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stderr, "image %s (%s) is there (%.1f s)\n", img.ID, img.Variant, time.Since(start).Seconds())
			fmt.Fprintln(a.stdout, img.ID)
			return nil
		},
	}
	variantFlags(cmd, &v)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the image's name; build nothing")
	return cmd
}

// wouldBuild tells an image's name, and whether the cache has it.
func (a *app) wouldBuild(store *image.Store, v image.Variant) error {
	id, err := store.ID(v)
	if err != nil {
		return err
	}
	_, err = store.Get(id)
	switch {
	case err == nil:
		fmt.Fprintf(a.stderr, "image %s is there\n", id)
	case errors.As(err, new(*image.UnknownError)):
		fmt.Fprintf(a.stderr, "image %s is not there; nothing was built\n", id)
	default:
		return err
	}
	fmt.Fprintln(a.stdout, id)
	return nil
}

func (a *app) imageListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List the golden images in the cache",
		Args:  noArgs(),
		RunE: func(*cobra.Command, []string) error {
			store, err := a.images()
			if err != nil {
				return err
			}
			found, err := store.List()
			if err != nil {
				return err
			}
			used, damaged := a.imageUse()
			a.warn(damaged)
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "IMAGE\tVARIANT\tKERNEL\tSIZE\tUSED BY")
			for _, i := range found {
				fmt.Fprintf(w, "%s\t%s\t%s\t%d MiB\t%v\n", i.ID, i.Variant, i.KernelRelease, fileMiB(i.Disk), used[i.ID])
			}
			return w.Flush()
		},
	}
}

func fileMiB(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size() >> 20
}

func (a *app) imageVerifyCommand() *cobra.Command {
	var v image.Variant
	cmd := &cobra.Command{
		Use:   "verify [IMAGE]",
		Short: "Compare a golden image with the sums taken when it was built",
		Long: `Compare a golden image with the sums taken when it was built: the one that is
named as "labctl image ls" does, else the one of the flags.`,
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := a.images()
			if err != nil {
				return err
			}
			find := func() (image.Image, error) { return store.Find(v) }
			if len(args) > 0 {
				if cmd.Flags().NFlag() > 0 {
					return usagef("leave the flags or the name out", "verifying image %q: flags choose an image, too", args[0])
				}
				find = func() (image.Image, error) { return store.Get(args[0]) }
			}
			img, err := find()
			if err != nil {
				return err
			}
			if err := store.Verify(cmd.Context(), img); err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "image %s is intact\n", img.ID)
			return nil
		},
	}
	variantFlags(cmd, &v)
	return cmd
}
