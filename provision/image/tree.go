package image

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// unpack lays a tar archive out as a folder, owners and attributes included.
func unpack(ctx context.Context, archive, root string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	_, err := run(ctx, nil, "tar", "-C", root, "--numeric-owner", "--xattrs", "--xattrs-include=*", "-xpf", archive)
	return err
}

// layRecipe copies a recipe's own files over the root. They are root's;
// programs and scripts may be run, sudo's rules may only be read.
func layRecipe(files fs.FS, recipe, root string) error {
	top := "recipe/" + recipe + "/rootfs"
	return fs.WalkDir(files, top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside := strings.TrimPrefix(strings.TrimPrefix(path, top), "/")
		target := filepath.Join(root, inside)
		if entry.IsDir() {
			return mkdir(target)
		}
		mode := fs.FileMode(0o644)
		switch {
		case strings.HasPrefix(inside, "usr/lib/labctl/"), strings.HasPrefix(inside, "usr/local/sbin/"):
			mode = 0o755
		case strings.HasSuffix(inside, "/shadow"), strings.HasSuffix(inside, "/gshadow"):
			mode = 0o640
		}
		// A file of that name may be a link into somewhere else.
		if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return copyOut(files, path, target, mode)
	})
}

// mkdir makes a folder that anyone can enter, whatever the umask says, and
// leaves one that exists as it is.
func mkdir(path string) error {
	if err := os.Mkdir(path, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := mkdir(filepath.Dir(path)); err != nil {
			return err
		}
		return mkdir(path)
	}
	return os.Chmod(path, 0o755)
}

// install copies programs into a folder of the root.
func install(root, folder, from string, names ...string) error {
	return lay(root, folder, from, 0o755, names...)
}

// installData copies files that nobody runs.
func installData(root, folder, from string, names ...string) error {
	return lay(root, folder, from, 0o644, names...)
}

func lay(root, folder, from string, mode fs.FileMode, names ...string) error {
	if err := mkdir(filepath.Join(root, folder)); err != nil {
		return err
	}
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return fmt.Errorf("installing %q: %w", name, err)
		}
		target := filepath.Join(root, folder, name)
		if err := errors.Join(os.WriteFile(target, content, mode), os.Chmod(target, mode)); err != nil {
			return fmt.Errorf("installing %q: %w", name, err)
		}
	}
	return nil
}

// link makes symbolic links, from a path in the root to what it points to.
func link(root string, links map[string]string) error {
	for at, to := range links {
		path := filepath.Join(root, at)
		if err := mkdir(filepath.Dir(path)); err != nil {
			return err
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		if err := os.Symlink(to, path); err != nil {
			return fmt.Errorf("linking %q: %w", at, err)
		}
	}
	return nil
}

// write makes small files, by path in the root.
func write(root string, files map[string]string) error {
	for at, text := range files {
		path := filepath.Join(root, at)
		if err := mkdir(filepath.Dir(path)); err != nil {
			return err
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o644), os.Chmod(path, 0o644)); err != nil {
			return fmt.Errorf("writing %q: %w", at, err)
		}
	}
	return nil
}

// purge removes everything in some folders of the root, and keeps the folders.
func purge(root string, folders ...string) error {
	for _, folder := range folders {
		entries, err := os.ReadDir(filepath.Join(root, folder))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if err := os.RemoveAll(filepath.Join(root, folder, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// oneTime gives every file below root the same time.
func oneTime(root string, epoch int64) error {
	at := unix.NsecToTimespec(epoch * int64(time.Second))
	return filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		// A folder's time changes only when its own entries do, so order does not matter.
		return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{at, at}, unix.AT_SYMLINK_NOFOLLOW)
	})
}

// exists tells whether there is something of that name, a dangling link too.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
