package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"labctl/internal/flock"
)

// hold takes a lock that is shared by all processes using the cache, and says
// so when it has to wait. The kernel frees it when its holder dies.
func (s *Store) hold(ctx context.Context, name string, say func(string)) (release func(), err error) {
	dir := filepath.Join(s.dir, "locks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("locking %q: %w", name, err)
	}
	for told := false; ; told = true {
		file, err := flock.File(filepath.Join(dir, name), 0o644)
		if err == nil {
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, flock.ErrHeld) {
			return nil, err
		}
		if !told {
			say("waiting for another build of " + name)
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return nil, fmt.Errorf("locking %q: %w", name, err)
		}
	}
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
