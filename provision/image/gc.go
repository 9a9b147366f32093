package image

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Swept is what a GC did.
type Swept struct {
	// Removed are paths below the cache: images, kept build steps, packages.
	Removed []string
	// Work counts folders that interrupted builds left.
	Work int
	// Kept are images that no lock asks for and that something still uses.
	Kept []InUseError
	// Bytes that the removed files took up.
	Bytes int64
}

// GC removes what the current lock does not ask for: images of older inputs,
// the build steps and packages they were made from, and what interrupted builds
// left. An image that inUse knows users of stays. The images of the current
// lock stay too, used or not; Remove takes them one by one.
func (s *Store) GC(ctx context.Context, inUse func(id string) []string) (Swept, error) {
	var swept Swept
	keep, err := s.reachable()
	if err != nil {
		return swept, err
	}
	var all []error
	for _, kind := range []string{"images", "steps", "debs"} {
		entries, err := os.ReadDir(filepath.Join(s.dir, kind))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = append(all, err)
		}
		for _, entry := range entries {
			if ctx.Err() != nil {
				return swept, fmt.Errorf("collecting garbage: %w", context.Cause(ctx))
			}
			if slices.Contains(keep, entry.Name()) {
				continue
			}
			if kind == "images" {
				if users := inUse(entry.Name()); len(users) > 0 {
					swept.Kept = append(swept.Kept, InUseError{ID: entry.Name(), Users: users})
					continue
				}
			}
			name := filepath.Join(kind, entry.Name())
			bytes, err := s.discard(ctx, name)
			if err != nil {
				all = append(all, err)
				continue
			}
			swept.Removed, swept.Bytes = append(swept.Removed, name), swept.Bytes+bytes
		}
	}
	work, err := s.sweep()
	swept.Work = work
	return swept, errors.Join(append(all, err)...)
}

// Remove deletes one image. InUseError if something is backed by it.
func (s *Store) Remove(ctx context.Context, id string, inUse func(id string) []string) error {
	if users := inUse(id); len(users) > 0 {
		return &InUseError{ID: id, Users: users}
	}
	if _, err := s.Get(id); err != nil {
		return err
	}
	_, err := s.discard(ctx, filepath.Join("images", id))
	return err
}

// discard deletes one entry of the cache. It loses its name first, so that
// nobody finds half of it, and the lock of its builder is held meanwhile.
func (s *Store) discard(ctx context.Context, name string) (int64, error) {
	release, err := s.hold(ctx, filepath.Base(name), func(string) {})
	if err != nil {
		return 0, err
	}
	defer release()
	work, err := s.scratch("gc-")
	if err != nil {
		return 0, err
	}
	defer work.remove()
	to := filepath.Join(work.path, "gone")
	if err := os.Rename(filepath.Join(s.dir, name), to); err != nil {
		return 0, fmt.Errorf("removing %q: %w", name, err)
	}
	var bytes int64
	err = filepath.WalkDir(to, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}

// reachable names every entry of the cache that the current lock asks for.
func (s *Store) reachable() ([]string, error) {
	guest, err := s.guestKey()
	if err != nil {
		return nil, err
	}
	names := []string{stepName("programs-guest", guest)}
	for _, v := range Variants() {
		id, err := identity(s.files, s.lock, v)
		if err != nil {
			return nil, err
		}
		names = append(names, id, stepName("userland-"+v.Recipe, s.userlandKey(v.Recipe)),
			stepName("kernel-"+v.Kernel, s.kernelKey(v.Kernel)))
		if v.Recipe != Pair {
			continue
		}
		for _, m := range moduleSets(v) {
			key, err := m.key(s.files, s.lock)
			if err != nil {
				return nil, err
			}
			names = append(names, stepName("programs-"+m.name, key))
		}
	}
	for _, p := range s.lock.Packages {
		names = append(names, strings.TrimPrefix(s.debPath(p), filepath.Join(s.dir, "debs")+"/"))
	}
	return names, nil
}
