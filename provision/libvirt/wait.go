package libvirt

import (
	"context"
	"strings"
	"time"
)

// Bounds of waiting for another client's work on the same pool, one minute in
// all: a copy of 200 MB took 8 s on a busy machine.
const (
	poolRetries = 120
	poolEvery   = 500 * time.Millisecond
)

// pause waits, or ends with the context.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settled repeats fn while the daemon says that the pool is busy.
func settled(ctx context.Context, fn func() error) error {
	for i := 0; ; i++ {
		err := fn()
		if err == nil || i == poolRetries || !strings.Contains(err.Error(), "has asynchronous jobs running") {
			return err
		}
		if pause(ctx, poolEvery) != nil {
			return err
		}
	}
}
