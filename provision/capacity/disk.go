package capacity

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Free is the space of a file system.
type Free struct {
	// Bytes that are free for an ordinary user.
	Bytes uint64
	// Device tells file systems apart.
	Device uint64
}

// FreeAt tells the space at a path, or at the nearest folder above that exists.
func FreeAt(path string) (Free, error) {
	path = Existing(path)
	var fs unix.Statfs_t
	var info unix.Stat_t
	if err := errors.Join(unix.Statfs(path, &fs), unix.Stat(path, &info)); err != nil {
		return Free{}, fmt.Errorf("measuring free space at %q: %w", path, err)
	}
	return Free{Bytes: fs.Bavail * uint64(fs.Bsize), Device: info.Dev}, nil
}

// Existing is the nearest folder at or above a path that exists.
func Existing(path string) string {
	for {
		info, err := os.Stat(path)
		if err == nil && info.IsDir() || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// UsedMiB is what the files below a folder take of the disk: overlays are sparse.
// What cannot be looked at does not count.
func UsedMiB(dir string) int {
	var blocks int64
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		var info unix.Stat_t
		if entry.Type().IsRegular() && unix.Lstat(path, &info) == nil {
			blocks += info.Blocks
		}
		return nil
	})
	return int(blocks * 512 >> 20) // stat(2): blocks of 512 bytes
}
