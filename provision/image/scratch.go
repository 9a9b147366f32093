package image

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"labctl/internal/flock"
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
	for {
		path, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			return scratchDir{}, fmt.Errorf("making a work folder: %w", err)
		}
		held, err := flock.Folder(path)
		if swept(err) {
			continue // before it was locked
		}
		if err == nil {
			// apt and chroot programs drop their rights and must still get in.
			err = os.Chmod(path, 0o755)
		}
		if err != nil {
			return scratchDir{}, fmt.Errorf("making a work folder: %w", err)
		}
		return scratchDir{path, held}, nil
	}
}

// swept tells that a work folder is someone else's to remove, or gone.
func swept(err error) bool {
	return errors.Is(err, flock.ErrHeld) || errors.Is(err, fs.ErrNotExist)
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
	count := 0
	var all []error
	for _, path := range paths {
		held, err := flock.Folder(path)
		if swept(err) {
			continue
		}
		if err != nil {
			all = append(all, err)
			continue
		}
		all = append(all, os.RemoveAll(path))
		count++
		held.Close()
	}
	return count, errors.Join(all...)
}
