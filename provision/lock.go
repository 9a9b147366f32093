package provision

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
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
		f, err := lockFile(dir, pair, doing)
		if err != nil {
			return nil, err
		}
		// A `down` that ended meanwhile took the folder away, and with it the file
		// that is locked now: the one that lies there must be locked in its place.
		if isAt(f, f.Name()) {
			return func() { _ = f.Close() }, nil
		}
		_ = f.Close()
	}
}

// isAt tells whether an open file is what lies at this path.
func isAt(f *os.File, path string) bool {
	held, err1 := f.Stat()
	there, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(held, there)
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

func lockFile(dir, pair, doing string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("locking pair %q: %w", pair, err)
	}
	path := lockPath(dir)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking pair %q: %w", pair, err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		defer f.Close()
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("locking pair %q: %w", pair, err)
		}
		return nil, &BusyError{pair, LastHolder(dir)}
	}
	holder, err := json.Marshal(Holder{PID: os.Getpid(), Doing: doing, Since: time.Now().UTC().Truncate(time.Second)})
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(holder, 0)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("locking pair %q: %w", pair, err)
	}
	return f, nil
}
