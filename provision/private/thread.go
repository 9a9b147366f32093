package private

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// onThread runs a function on a thread of its own that ends with it, so that
// the function may change the thread's namespaces and never change them back.
func onThread(fn func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			// The main thread stands for the whole process in /proc and cannot end.
			// Holding it here makes sure that the next try gets another.
			done <- onThread(fn)
			runtime.UnlockOSThread()
			return
		}
		done <- fn() // never unlocked: the runtime ends the thread
	}()
	return <-done
}

// enterNetwork moves the calling thread into a network namespace.
func enterNetwork(ns *os.File) error {
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("entering the network namespace: %w", err)
	}
	return nil
}

// enterMounts moves the calling thread into a mount namespace. The kernel
// allows it only to a thread that shares its root and working folder with no
// other.
func enterMounts(ns *os.File) error {
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("parting from the other threads' folders: %w", err)
	}
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("entering the mount namespace: %w", err)
	}
	return nil
}

// enter moves the calling thread into both namespaces.
func (h handle) enter() error {
	if err := enterNetwork(h.net); err != nil {
		return err
	}
	return enterMounts(h.mnt)
}
