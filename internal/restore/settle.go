package restore

import (
	"context"
	"time"

	"labctl/internal/journal"
)

// Settle takes fingerprints until one does not differ from base, or limit has
// passed, and returns the last and how it differs. Between two it waits for
// pause. A Pod that was deleted takes up to 30 s to go, and its interface, rules
// and endpoints with it: a difference that goes by itself is none.
//
// An error to take one, which may be as passing, is returned only if the last
// attempt ended with it.
func Settle(ctx context.Context, base Fingerprint, take func(context.Context) (Fingerprint, error), pause, limit time.Duration) (Fingerprint, []journal.Difference, error) {
	end := time.Now().Add(limit)
	for {
		now, err := take(ctx)
		var differences []journal.Difference
		if err == nil {
			differences = Compare(base, now)
		}
		if err == nil && len(differences) == 0 || time.Now().Add(pause).After(end) {
			return now, differences, err
		}
		if wait(ctx, pause) != nil {
			return now, differences, ctx.Err()
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
