package image

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// userland returns a tar archive of a root file system with a recipe's
// packages.
func (s *Store) userland(ctx context.Context, recipe string, say func(string)) (string, error) {
	lock := s.lock.Set(recipe)
	dir, err := s.step(ctx, "userland-"+recipe, s.userlandKey(recipe), say, func(dir string) error {
		if err := s.fetch(ctx, lock.Packages, say); err != nil {
			return err
		}
		say("installing Debian")
		return s.bootstrap(ctx, lock, recipe == Pair, filepath.Join(dir, "rootfs.tar"))
	})
	return filepath.Join(dir, "rootfs.tar"), err
}

// userlandKey names a recipe's userland: the same key, the same archive.
func (s *Store) userlandKey(recipe string) string {
	return digest(s.lock.Set(recipe).String(), fmt.Sprint(Format))
}

// bootstrap installs exactly the lock's packages: mmdebstrap sees an archive
// that holds nothing else. Without configure they are only unpacked.
func (s *Store) bootstrap(ctx context.Context, lock Lock, configure bool, target string) error {
	archive, err := s.scratch("archive-")
	if err != nil {
		return err
	}
	defer archive.remove()
	if err := s.flatArchive(ctx, archive.path, lock.Packages); err != nil {
		return err
	}
	var names []string
	for _, p := range lock.Packages {
		names = append(names, p.Name)
	}
	epoch := fmt.Sprintf("SOURCE_DATE_EPOCH=%d", lock.Epoch)
	if !configure {
		return unpackDebs(ctx, s, lock, target, epoch)
	}
	_, err = run(ctx, []string{epoch}, "mmdebstrap", "--quiet", "--mode=root", "--format=tar",
		"--variant=apt", "--include="+strings.Join(names, ","), "--skip=check/empty",
		"--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*",
		"--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-include=/usr/share/doc/*/copyright",
		"--dpkgopt=path-exclude=/usr/share/info/*", "--dpkgopt=path-exclude=/usr/share/lintian/*",
		userlandSuite, target, "deb [trusted=yes] copy:"+archive.path+" ./")
	if err != nil {
		return fmt.Errorf("installing Debian: %w", err)
	}
	return nil
}

// unpackDebs makes a root file system without running any package's scripts.
func unpackDebs(ctx context.Context, s *Store, lock Lock, target, epoch string) error {
	work, err := s.scratch("unpack-")
	if err != nil {
		return err
	}
	defer work.remove()
	root := work.path
	packages := slices.Clone(lock.Packages)
	// base-files lays the links that make /bin and /lib one with /usr.
	if first := slices.IndexFunc(packages, func(p Package) bool { return p.Name == "base-files" }); first > 0 {
		packages[0], packages[first] = packages[first], packages[0]
	}
	for _, p := range packages {
		if _, err := run(ctx, nil, "dpkg-deb", "-x", s.debPath(p), root); err != nil {
			return fmt.Errorf("unpacking package %q: %w", p.Name, err)
		}
	}
	for _, folder := range []string{"usr/share/man", "usr/share/locale", "usr/share/info", "usr/share/lintian", "usr/share/bash-completion"} {
		if err := os.RemoveAll(filepath.Join(root, folder)); err != nil {
			return err
		}
	}
	_, err = run(ctx, []string{epoch}, "tar", "-C", root, "--sort=name", "--numeric-owner", "-cf", target, ".")
	return err
}
