// Package flock locks files and folders against other processes. A lock is the
// kernel's: it goes when its holder ends, however that ends, so none is ever
// stale. It belongs to the opening of the file, so it holds within a process, too.
package flock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ErrHeld says that someone else has the lock.
var ErrHeld = errors.New("locked by someone else")

// File locks the file at a path, which it makes if there is none in a folder
// that is there. ErrHeld at once if someone else has the lock. Closing the file
// lets go of it.
func File(path string, mode fs.FileMode) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, mode)
		if err != nil {
			return nil, err
		}
		locked, err := lock(f, path)
		if !errors.Is(err, fs.ErrNotExist) {
			return locked, err
		}
		// It was removed while it was locked: the one that lies there now counts.
	}
}

// Folder locks a folder. ErrHeld at once if someone else has the lock,
// fs.ErrNotExist if it is gone.
func Folder(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return lock(f, path)
}

func lock(f *os.File, path string) (*os.File, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	for errors.Is(err, unix.EINTR) {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = ErrHeld
	}
	if err == nil && !isAt(f, path) {
		err = fs.ErrNotExist
	}
	if err != nil {
		_ = f.Close() // nothing was written to it
		return nil, fmt.Errorf("locking %q: %w", path, err)
	}
	return f, nil
}

// isAt tells whether an open file is what lies at this path.
func isAt(f *os.File, path string) bool {
	held, err1 := f.Stat()
	there, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(held, there)
}
