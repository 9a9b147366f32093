package image

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// scratchDir is a folder for work in progress, on the cache's file system. As
// long as its maker lives, GC leaves it alone.
type scratchDir struct {
	path string
	held *os.File
}

// scratch makes one.
func (s *Store) scratch(prefix string) (scratchDir, error) {
	parent := filepath.Join(s.dir, "tmp")
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return scratchDir{}, fmt.Errorf("making a work folder: %w", err)
	}
	path, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return scratchDir{}, fmt.Errorf("making a work folder: %w", err)
	}
	// apt and chroot programs drop their rights and must still get in.
	err = os.Chmod(path, 0o755)
	held, openErr := os.Open(path)
	if err = errors.Join(err, openErr); err == nil {
		err = unix.Flock(int(held.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		return scratchDir{}, fmt.Errorf("making a work folder: %w", err)
	}
	return scratchDir{path, held}, nil
}

// remove takes it away, with what is still in it.
func (d scratchDir) remove() {
	// What stays behind is GC's.
	_ = os.RemoveAll(d.path)
	_ = d.held.Close()
}

// sweep removes the work folders whose makers are gone, and returns how many.
func (s *Store) sweep() (int, error) {
	paths, err := filepath.Glob(filepath.Join(s.dir, "tmp", "*"))
	if err != nil {
		return 0, err
	}
	swept := 0
	var all []error
	for _, path := range paths {
		held, err := os.Open(path)
		if err != nil {
			all = append(all, err)
			continue
		}
		if unix.Flock(int(held.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			all = append(all, os.RemoveAll(path))
			swept++
		}
		held.Close()
	}
	return swept, errors.Join(all...)
}
