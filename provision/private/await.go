package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// awaitAnswer waits until libvirtd answers a call on its socket.
func awaitAnswer(ctx context.Context, dir string, p process, ended <-chan error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answerLimit, errNoAnswer)
	defer cancel()
	socket := procPath(p.pid, "root/run/libvirt/libvirt-sock")
	err := until(ctx, 20*time.Millisecond, func() (bool, error) {
		if now, err := startTime(p.pid); err == nil && now == p.start {
			return answers(ctx, socket) == nil, nil
		}
		if ended == nil {
			return false, errGone
		}
		cause := <-ended
		if cause == nil {
			cause = errors.New("exit status 0") // as libvirtd does when a driver cannot start
		}
		return false, &StartError{Log: tail(dir), Err: cause}
	})
	if errors.Is(err, errNoAnswer) {
		return &SilentError{PID: p.pid, Dir: dir}
	}
	if err != nil {
		return fmt.Errorf("waiting for the private libvirtd: %w", err)
	}
	return nil
}

// StartError says that libvirtd ended at once.
type StartError struct {
	// Log has the last lines that it wrote.
	Log string
	Err error
}

func (e *StartError) Error() string {
	return fmt.Sprintf("it ended at once: %v; its log ends:\n%s", e.Err, e.Log)
}

// Unwrap returns how it ended.
func (e *StartError) Unwrap() error { return e.Err }

var errNoAnswer = errors.New("no answer")

// SilentError says that the daemon runs and does not answer, because it is
// stopped or hangs.
type SilentError struct {
	PID int
	Dir string
}

func (e *SilentError) Error() string {
	return fmt.Sprintf("waiting for the private libvirtd (process %d): no answer within %s", e.PID, answerLimit)
}

// Hint says what to do about it.
func (e *SilentError) Hint() string {
	return fmt.Sprintf("see %s; `kill -CONT %d` if it was stopped, else `labctl down` ends it", filepath.Join(e.Dir, "log", "libvirtd.log"), e.PID)
}

// tail returns the last lines of libvirtd's log.
func tail(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "log", libvirtd+".log"))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}
