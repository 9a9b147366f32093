// Package durable writes files that survive whatever ends the process or the
// machine: a reader finds the old content or the new, whole, and what was
// written is on the disk when the call returns.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces the file at a path, in a folder that is there.
func WriteFile(path string, content []byte, mode fs.FileMode) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already once it was renamed
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		err = syncFolder(dir)
	}
	return err
}

// Remove removes the file at a path; fs.ErrNotExist if there is none.
func Remove(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes sure that a name which came or went is on the disk.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
