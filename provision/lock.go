package provision

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"labctl/internal/flock"
)

// Holder is who changes a pair right now.
type Holder struct {
	PID   int       `json:"pid"`
	Doing string    `json:"doing"`
	Since time.Time `json:"since"`
}

// BusyError says that another labctl changes the pair.
type BusyError struct {
	Pair string
	Holder
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("locking pair %q: process %d is in `labctl %s` since %s", e.Pair, e.PID, e.Doing, e.Since.Format(time.TimeOnly))
}

// Hint says what to do about it.
func (e *BusyError) Hint() string {
	return fmt.Sprintf("wait until it ends, or end it: kill %d", e.PID)
}

// Lock takes the pair's lock for one verb. The kernel lets go of it when the
// process ends, however it ends; the file's content only tells who holds it.
// It returns a BusyError at once if another process does.
func Lock(dir, pair, doing string) (unlock func(), err error) {
	for {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("locking pair %q: %w", pair, err)
		}
		f, err := flock.File(lockPath(dir), 0o600)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // a `down` that ended meanwhile took the folder away
		case errors.Is(err, flock.ErrHeld):
			return nil, &BusyError{pair, LastHolder(dir)}
		case err != nil:
			return nil, fmt.Errorf("locking pair %q: %w", pair, err)
		}
		if err := sign(f, doing); err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("locking pair %q: %w", pair, err)
		}
		return func() { _ = f.Close() }, nil
	}
}

func lockPath(dir string) string { return filepath.Join(dir, "lock") }

// LastHolder tells who changes the pair of this folder, or was the last to; the
// zero value if nobody is known.
func LastHolder(dir string) Holder {
	var h Holder
	if content, err := os.ReadFile(lockPath(dir)); err == nil {
		_ = json.Unmarshal(content, &h) // half-written: a holder of zeros
	}
	return h
}

// sign writes who holds the lock into its file.
func sign(f *os.File, doing string) error {
	holder, err := json.Marshal(Holder{PID: os.Getpid(), Doing: doing, Since: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(holder, 0)
	return err
}

// HolderNow tells who changes the pair of this folder at this moment; false if
// nobody does. It takes no lock, so it never stands in anybody's way: the holder
// is the process that signed, as long as it has the file open.
func HolderNow(dir string) (Holder, bool) {
	h := LastHolder(dir)
	lock, err := os.Stat(lockPath(dir))
	if err != nil || h.PID == 0 {
		return h, false
	}
	files := fmt.Sprintf("/proc/%d/fd", h.PID)
	open, err := os.ReadDir(files)
	if err != nil {
		return h, false // it has ended, or is somebody else's
	}
	for _, f := range open {
		if info, err := os.Stat(filepath.Join(files, f.Name())); err == nil && os.SameFile(info, lock) {
			return h, true
		}
	}
	return h, false
}
