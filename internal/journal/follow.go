package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Follow tells the events of a journal as they are written, by whichever process,
// some at a time and in order: those that are there at once, later ones every
// interval. It waits for a journal that is not there yet. When the context ends it
// looks once more and returns nil, so that nothing is lost of a run that has ended;
// what told returns ends it, too. A line that is no event is an error.
//
// It asks for the file's size and does not wait for a notice of the kernel's: that
// costs nothing and works on every file system.
func Follow(ctx context.Context, path string, every time.Duration, told func([]Event) error) error {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	f := follower{path: path, told: told}
	for {
		if err := f.look(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return f.look()
		case <-ticks.C:
		}
	}
}

// follower knows how far a journal was told.
type follower struct {
	path string
	told func([]Event) error
	at   int64 // the end of the last whole line
	line int
}

// look tells what has been added in whole lines.
func (f *follower) look() error {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() <= f.at {
		return nil
	}
	if err != nil {
		return fmt.Errorf("following journal: %w", err)
	}
	file, err := os.Open(f.path)
	if err != nil {
		return fmt.Errorf("following journal: %w", err)
	}
	defer file.Close()
	if _, err := file.Seek(f.at, io.SeekStart); err != nil {
		return fmt.Errorf("following journal: %w", err)
	}
	events, size, err := readLines(file, f.path, f.line, func(e Event) Event { return e })
	if err != nil {
		return err
	}
	f.at, f.line = f.at+size, f.line+len(events)
	if len(events) == 0 {
		return nil
	}
	return f.told(events)
}
