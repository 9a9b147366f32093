package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// politeLimit is how long processes have between SIGTERM and SIGKILL. QEMU
	// and libvirtd take about 0.1 s.
	politeLimit = 3 * time.Second
	// killLimit is how long the kernel may take to end a killed process: QEMU's
	// memory has to be given back.
	killLimit = 15 * time.Second
)

// Stop ends everything that runs in a directory's namespaces, guests included,
// and with the last process the namespaces, their mounts, bridges and rules;
// then it removes what Ensure and the daemons made in the directory, disks
// included, and the directory if that leaves it empty. It works from any state,
// also when the directory is gone and its processes are not. It is idempotent;
// the error names what is left.
func Stop(ctx context.Context, dir string) error {
	dir, err := canonical(dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); err == nil {
		if err := needRoot(); err != nil {
			return err
		}
	}
	if !ours(dir) {
		return terminate(ctx, dir)
	}
	release, err := lock(ctx, dir)
	if err != nil {
		return err
	}
	defer release()
	if err := os.WriteFile(filepath.Join(dir, stoppingName), nil, 0o600); err != nil {
		return fmt.Errorf("ending the private hypervisor: %w", err)
	}
	if err := cleanUp(ctx, dir); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		return fmt.Errorf("removing the private hypervisor's files: %w", err)
	}
	// Someone else's files may be beside ours.
	if err := os.Remove(dir); err != nil && !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.EBUSY) {
		return fmt.Errorf("removing the private hypervisor's folder: %w", err)
	}
	return nil
}

// stoppingName is a file that is there while Stop works. Processes that were
// asked to end may answer for a while; if Stop is killed meanwhile, the next
// Ensure must not take them for a hypervisor.
const stoppingName = "private.stopping"

// finishStop finishes what a killed Stop began; the caller holds the lock.
func finishStop(ctx context.Context, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, stoppingName)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return cleanUp(ctx, dir)
}

// cleanUp ends the processes, then removes the folders, and the note last.
func cleanUp(ctx context.Context, dir string) error {
	if err := terminate(ctx, dir); err != nil {
		return err
	}
	if err := remove(dir); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, stoppingName)); err != nil {
		return fmt.Errorf("removing the private hypervisor's files: %w", err)
	}
	return nil
}

// terminate ends the processes of a directory: asks, then kills.
func terminate(ctx context.Context, dir string) error {
	asked := map[process]bool{}
	kill := time.Now().Add(politeLimit)
	ctx, cancel := context.WithTimeout(ctx, politeLimit+killLimit)
	defer cancel()
	var left []process
	err := until(ctx, 20*time.Millisecond, func() (bool, error) {
		var err error
		if left, err = descended(dir); err != nil {
			return false, err
		}
		for _, p := range left {
			switch {
			case time.Now().After(kill):
				signal(p, dir, unix.SIGKILL)
			case !asked[p]:
				asked[p] = true
				signal(p, dir, unix.SIGTERM)
			}
		}
		return len(left) == 0, nil
	})
	if err != nil {
		names := make([]string, 0, len(left))
		for _, p := range left {
			names = append(names, p.String())
		}
		return fmt.Errorf("ending the private hypervisor of %q: %w; still there: %s", dir, err, strings.Join(names, ", "))
	}
	return nil
}

// signal sends a signal to a process of the directory and to no other: the
// descriptor names the process, and the mark is read after it was opened. If
// the PID changes hands in between, the signal goes to the dead.
func signal(p process, dir string, sig unix.Signal) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	mounts, err := mountsOf(p.pid)
	if err != nil {
		return
	}
	if _, all := marks(mounts); !slices.Contains(all, dir) {
		return
	}
	// It may have ended by itself; the next look at the process table tells.
	_ = unix.PidfdSendSignal(fd, sig, nil, 0)
}

// remove deletes our folders. It refuses to delete through a mount that someone
// else made in the directory.
func remove(dir string) error {
	text, err := os.ReadFile("/proc/thread-self/mountinfo")
	if err != nil {
		return fmt.Errorf("reading the mounts: %w", err)
	}
	for _, m := range parseMounts(string(text)) {
		if strings.HasPrefix(m.point, dir+"/") {
			return fmt.Errorf("removing the private hypervisor's files: %q is a mount that we did not make", m.point)
		}
	}
	var errs []error
	for _, f := range layout() {
		if err := os.RemoveAll(filepath.Join(dir, f.own)); err != nil {
			errs = append(errs, fmt.Errorf("removing the private hypervisor's files: %w", err))
		}
	}
	return errors.Join(errs...)
}
