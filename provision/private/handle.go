package private

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// handle keeps the two namespaces of a process alive and reachable, whatever
// becomes of the process, and its root folder: entering a mount namespace leads
// to the namespace's own root, which under chroot is another one. The files are
// closed when nobody refers to them.
type handle struct{ net, mnt, root *os.File }

// hold opens the namespaces of a process, and makes sure that they are its own
// and not those of a later process with the same PID.
func hold(p process) (handle, error) {
	var h handle
	for _, f := range []struct {
		file **os.File
		name string
	}{{&h.net, "ns/net"}, {&h.mnt, "ns/mnt"}, {&h.root, "root"}} {
		opened, err := os.Open(procPath(p.pid, f.name))
		if err != nil {
			h.close()
			return handle{}, gone(err)
		}
		*f.file = opened
	}
	if now, err := startTime(p.pid); err != nil || now != p.start {
		h.close()
		return handle{}, errGone
	}
	return h, nil
}

// holdAny opens the namespaces of the first of these processes that still runs.
func holdAny(all []process) (handle, error) {
	for _, p := range all {
		h, err := hold(p)
		if !errors.Is(err, errGone) {
			return h, err
		}
	}
	return handle{}, fmt.Errorf("entering the private namespaces: %w", errGone)
}

func (h handle) close() {
	for _, f := range []*os.File{h.net, h.mnt, h.root} {
		if f != nil {
			f.Close()
		}
	}
}

// enterNetwork moves the calling thread into the network namespace.
func (h handle) enterNetwork() error {
	if err := unix.Setns(int(h.net.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("entering the network namespace: %w", err)
	}
	return nil
}

// enterMounts moves the calling thread into the mount namespace. The kernel
// allows it only to a thread that shares its root and working folder with no
// other.
func (h handle) enterMounts() error {
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("parting from the other threads' folders: %w", err)
	}
	if err := unix.Setns(int(h.mnt.Fd()), unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("entering the mount namespace: %w", err)
	}
	if err := unix.Fchdir(int(h.root.Fd())); err != nil {
		return fmt.Errorf("entering the root of the mount namespace: %w", err)
	}
	if err := unix.Chroot("."); err != nil {
		return fmt.Errorf("entering the root of the mount namespace: %w", err)
	}
	return nil
}

// enter moves the calling thread into both namespaces.
func (h handle) enter() error {
	if err := h.enterNetwork(); err != nil {
		return err
	}
	return h.enterMounts()
}
