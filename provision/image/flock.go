package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// hold takes a lock that is shared by all processes using the cache, and says
// so when it has to wait. The kernel frees it when its holder dies.
func (s *Store) hold(ctx context.Context, name string, say func(string)) (release func(), err error) {
	dir := filepath.Join(s.dir, "locks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("locking %q: %w", name, err)
	}
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("locking %q: %w", name, err)
	}
	for told := false; ; told = true {
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			break
		}
		if !told {
			say("waiting for another build of " + name)
		}
		if err = pause(ctx, 200*time.Millisecond); err != nil {
			break
		}
	}
	file.Close()
	return nil, fmt.Errorf("locking %q: %w", name, err)
}

// pause waits, or returns early with the context's error.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
