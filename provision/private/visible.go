package private

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// insideShared is where read-only folders are mounted inside.
const insideShared = "/var/lib/libvirt/" + sharedFolder

// Visible returns a path as the daemon and its guests see it: in a read-only
// folder, in the directory's own folders, or unchanged.
func (d *Daemon) Visible(path string) string {
	path, err := canonical(path)
	if err != nil {
		return path
	}
	for head := path; head != "/"; head = filepath.Dir(head) {
		if name := sharedName(head); d.shared[name] {
			return filepath.Join(insideShared, name, strings.TrimPrefix(path, head))
		}
	}
	for _, f := range layout() {
		if rest, ok := under(path, filepath.Join(d.Dir, f.own)); ok {
			return filepath.Join(f.compiled, rest)
		}
	}
	return path
}

// Local is the inverse of Visible for the directory's own folders: where a file
// that the daemon made is found from outside.
func (d *Daemon) Local(path string) string {
	path = filepath.Clean(path)
	for _, f := range layout() {
		if rest, ok := under(path, f.compiled); ok {
			return filepath.Join(d.Dir, f.own, rest)
		}
	}
	return path
}

func under(path, folder string) (rest string, ok bool) {
	if path == folder {
		return "", true
	}
	return strings.CutPrefix(path, folder+"/")
}

// sharedName derives the mount point's name from the folder's, so that nobody
// has to write down which is which.
func sharedName(folder string) string {
	sum := sha256.Sum256([]byte(folder))
	return hex.EncodeToString(sum[:8])
}

// sharedIn returns the names of the read-only folders that a process sees.
func sharedIn(pid int) (map[string]bool, error) {
	mounts, err := mountsOf(pid)
	if err != nil {
		return nil, gone(err)
	}
	names := map[string]bool{}
	for _, m := range mounts {
		if name, ok := strings.CutPrefix(m.point, insideShared+"/"); ok && !strings.Contains(name, "/") {
			names[name] = true
		}
	}
	return names, nil
}

// share mounts a folder read-only for the daemon and its guests; the caller
// holds the lock.
func (d *Daemon) share(folder string) error {
	folder, err := canonical(folder)
	if err != nil {
		return err
	}
	name := sharedName(folder)
	if d.shared[name] {
		return nil
	}
	if err := readableByOthers(folder); err != nil {
		return err
	}
	if err := openFolder(filepath.Join(d.Dir, "lib", sharedFolder, name)); err != nil {
		return err
	}
	tree, err := cloneTree(folder)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	if err := setReadOnly(tree); err != nil {
		return fmt.Errorf("making a mount of %q read-only: %w", folder, err)
	}
	err = onThread(func() error {
		if err := d.inside.enterMounts(); err != nil {
			return err
		}
		return attachTree(tree, filepath.Join(insideShared, name))
	})
	if err != nil {
		return err
	}
	d.shared[name] = true
	return nil
}

// setReadOnly changes a detached tree before anybody sees it. Needs Linux 5.12.
func setReadOnly(tree int) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	return unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr)
}

// readableByOthers checks the folder's own mode; the folders above it are not
// on QEMU's way.
func readableByOthers(folder string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return fmt.Errorf("sharing a folder with the private hypervisor: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("sharing %q with the private hypervisor: not a folder", folder)
	}
	if info.Mode().Perm()&0o005 != 0o005 && qemuAccount().name != "root" {
		return &UnreadableError{Folder: folder, Mode: info.Mode().Perm()}
	}
	return nil
}

// UnreadableError says that QEMU's user may not enter a shared folder.
type UnreadableError struct {
	Folder string
	Mode   os.FileMode
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("sharing %q with the private hypervisor: its mode %#o keeps QEMU's user out", e.Folder, e.Mode)
}

// Hint says what to do about it.
func (e *UnreadableError) Hint() string {
	return fmt.Sprintf("chmod o+rx '%s'; the folders above it may stay closed", e.Folder)
}
