package private

import (
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
