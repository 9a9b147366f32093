package journal_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
)

func TestFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	steps := make(chan string, 10)
	ended := make(chan error, 1)
	go func() {
		ended <- journal.Follow(ctx, path, time.Millisecond, func(all []journal.Event) error {
			for _, e := range all {
				steps <- e.Step
			}
			return nil
		})
	}()
	next := func() string {
		select {
		case s := <-steps:
			return s
		case err := <-ended:
			require.Fail(t, "it ended", err)
		case <-time.After(10 * time.Second):
			require.Fail(t, "it tells nothing")
		}
		return ""
	}
	write := func(text string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		require.NoError(t, err)
		_, err = f.WriteString(text)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	write(`{"type":"step-started","step":"one"}` + "\n" + `{"type":"step-started","step":"tw`)
	assert.Equal(t, "one", next())
	// What a crash left unfinished is cut off by whoever goes on with the journal.
	j, err := journal.Open(path)
	require.NoError(t, err)
	require.NoError(t, j.Append(journal.Event{Type: journal.StepStarted, Step: "three"}))
	require.NoError(t, j.Close())
	assert.Equal(t, "three", next())
	cancel()
	require.NoError(t, <-ended)
	assert.Empty(t, steps)

	t.Run("what is there when the context has ended", func(t *testing.T) {
		var all []journal.Event
		require.NoError(t, journal.Follow(ctx, path, time.Hour, func(e []journal.Event) error { all = append(all, e...); return nil }))
		assert.Len(t, all, 2)
	})
	t.Run("the listener ends it", func(t *testing.T) {
		enough := errors.New("enough")
		assert.ErrorIs(t, journal.Follow(t.Context(), path, time.Hour, func([]journal.Event) error { return enough }), enough)
	})
	t.Run("a line that is no event", func(t *testing.T) {
		write("nonsense\n")
		assert.ErrorContains(t, journal.Follow(t.Context(), path, time.Hour, func([]journal.Event) error { return nil }), "journal.jsonl:3: ")
	})
}
