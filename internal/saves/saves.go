// Package saves tells when a file is saved, in whichever way an editor does that:
// by writing into it, or by putting a new file in its place.
package saves

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// quiet is how long nothing happens to a file before it counts as saved: editors
// take several steps, a few milliseconds apart.
const quiet = 50 * time.Millisecond

// Watch calls saved with a file's content, at once and after each change of it,
// until the context ends, which is no error. A file that is gone for a while is
// waited for; a folder that is gone is an error.
func Watch(ctx context.Context, file string, saved func(content []byte)) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching %q: %w", file, err)
	}
	defer func() { _ = w.Close() }() // it only listens
	names, err := follow(w, file)
	if err != nil {
		return fmt.Errorf("watching %q: %w", file, err)
	}
	last, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("watching %q: %w", file, err)
	}
	saved(last)
	settled := time.NewTimer(0)
	if !settled.Stop() {
		<-settled.C
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.Events:
			switch {
			case !ok:
				return fmt.Errorf("watching %q: %w", file, fsnotify.ErrClosed)
			case slices.Contains(names, e.Name):
				settled.Reset(quiet)
			case e.Has(fsnotify.Remove|fsnotify.Rename) && e.Name == filepath.Dir(names[0]):
				return fmt.Errorf("watching %q: its folder: %w", file, fs.ErrNotExist)
			}
		case err := <-w.Errors:
			// What was missed may have been about the file.
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("watching %q: %w", file, err)
			}
			settled.Reset(quiet)
		case <-settled.C:
			now, err := os.ReadFile(file)
			if err != nil || bytes.Equal(now, last) {
				continue
			}
			last = now
			saved(now)
		}
	}
}

// follow watches the folders that a file is in: where it is named, and where the
// link leads if it is one. A watch of the file itself would end with the first
// editor that replaces it.
func follow(w *fsnotify.Watcher, file string) ([]string, error) {
	named, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	target, err := filepath.EvalSymlinks(named)
	if err != nil {
		return nil, err
	}
	names := slices.Compact([]string{named, target})
	for _, name := range names {
		if err := w.Add(filepath.Dir(name)); err != nil {
			return nil, err
		}
	}
	return names, nil
}
