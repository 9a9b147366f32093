package image

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// toolchain is what the programs of an image are compiled with.
const toolchain = "go1.26.8"

// Lock asks the Debian archive for today's packages and returns the lock that
// pins them. It changes nothing: the caller compares, and writes it to
// image.lock if that is wanted.
func (s *Store) Lock(ctx context.Context, say func(string)) (Lock, error) {
	mirror, err := mirror(ctx)
	if err != nil {
		return Lock{}, err
	}
	work, err := s.scratch("lock-")
	if err != nil {
		return Lock{}, err
	}
	defer work.remove()
	lock := Lock{Go: toolchain, Epoch: time.Now().UTC().Truncate(24 * time.Hour).Unix()}
	for kernel, suite := range kernelSuites {
		say("reading the package index of " + suite)
		archive, err := openArchive(ctx, filepath.Join(work.path, suite), mirror, suite)
		if err != nil {
			return Lock{}, err
		}
		pins, err := archive.kernel(ctx, kernel)
		if err != nil {
			return Lock{}, err
		}
		lock.Packages = append(lock.Packages, pins...)
		if suite != userlandSuite {
			continue
		}
		for _, recipe := range []string{Pair, Small} {
			names, err := recipePackages(s.files, recipe)
			if err != nil {
				return Lock{}, err
			}
			if recipe == Pair {
				if names, err = archive.closure(ctx, append(names, "apt")...); err != nil {
					return Lock{}, err
				}
			}
			pins, err := archive.pins(ctx, recipe, names...)
			if err != nil {
				return Lock{}, err
			}
			lock.Packages = append(lock.Packages, pins...)
		}
	}
	// One order, whatever the map's was.
	return ParseLock(lock.String())
}

// userlandSuite is the Debian release of everything but older kernels.
const userlandSuite = "trixie"

// kernel pins the cloud kernel that the release's metapackage points to.
func (a archive) kernel(ctx context.Context, series string) ([]Package, error) {
	name, err := a.depends(ctx, "linux-image-cloud-amd64")
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(name, "linux-image-"+series+".") {
		return nil, fmt.Errorf("looking for a %s kernel in %q: the archive has %q", series, a.suite, name)
	}
	return a.pins(ctx, "kernel-"+series, name)
}

// recipePackages are the packages that a recipe names.
func recipePackages(files fs.FS, recipe string) ([]string, error) {
	list, err := fs.ReadFile(files, "recipe/"+recipe+"/packages")
	if err != nil {
		return nil, fmt.Errorf("reading recipe %q: %w", recipe, err)
	}
	var names []string
	for line := range strings.Lines(string(list)) {
		line, _, _ = strings.Cut(line, "#")
		names = append(names, strings.Fields(line)...)
	}
	return names, nil
}
