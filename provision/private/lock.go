package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lockName is the file in the directory that Ensure and Stop lock.
const lockName = "private.lock"

// lock takes the directory's lock, waiting for it until the context ends. The
// kernel lets go of it when the holder dies.
func lock(ctx context.Context, dir string) (release func(), err error) {
	path := filepath.Join(dir, lockName)
	err = until(ctx, 20*time.Millisecond, func() (bool, error) {
		// Stop removes the folder, and a caller that waited for it starts anew.
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return false, err
		}
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			f.Close()
			if errors.Is(err, unix.EWOULDBLOCK) {
				return false, nil
			}
			return false, err
		}
		if !sameFile(f, path) {
			f.Close()
			return false, nil
		}
		release = func() { f.Close() }
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("locking %q: %w", path, err)
	}
	return release, nil
}

// sameFile tells whether the open file is still the one of that name.
func sameFile(f *os.File, path string) bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(ours, named)
}
