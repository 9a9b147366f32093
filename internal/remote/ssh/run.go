package ssh

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"labctl/internal/remote"
)

// Drain is how long the output of a script that has ended is waited for, if
// something it left behind holds it open.
const Drain = 2 * time.Second

// Run runs a command, as remote.Conn says. A script that did not begin is a
// *StartError.
func (c *Conn) Run(ctx context.Context, cmd remote.Command) (remote.Output, error) {
	if err := cmd.Validate(); err != nil {
		return remote.Output{}, fmt.Errorf("running a script on %q: %w", c.target.Name, err)
	}
	var stdout, stderr remote.Keeper
	out, err := c.exec(ctx, c.slots, cmd, both{&stdout, cmd.Stdout}, both{&stderr, cmd.Stderr})
	var n, m int64
	out.Stdout, n = stdout.Bytes()
	out.Stderr, m = stderr.Bytes()
	out.Dropped = n + m
	if err != nil {
		return out, fmt.Errorf("running a script on %q: %w", c.target.Name, err)
	}
	return out, nil
}

// exec runs a command in a slot, with its output to any writers.
func (c *Conn) exec(ctx context.Context, slots chan struct{}, cmd remote.Command, stdout, stderr io.Writer) (out remote.Output, err error) {
	s, err := c.open(ctx, slots)
	if err != nil {
		return out, err
	}
	defer s.end()
	begin := time.Now()
	defer func() { out.Duration = time.Since(begin) }()

	var mu sync.Mutex
	r := &running{conn: c, session: s, script: newScript(cmd, newID(), cmd.Root && c.target.User != "root")}
	word := []byte(started(r.script.id) + "\n")
	r.stdout = &sink{mu: &mu, count: &r.count, word: word, to: stdout}
	r.stderr = &sink{mu: &mu, count: &r.count, word: word, to: stderr}
	defer r.stdout.close()
	defer r.stderr.close()
	return r.run(ctx, cmd.Timeout)
}

// running is one command from its start to its end.
type running struct {
	conn           *Conn
	session        *session
	script         script
	stdout, stderr *sink
	count          atomic.Int64
	read           <-chan struct{} // closed when both streams have ended
}

func (r *running) run(ctx context.Context, timeout time.Duration) (out remote.Output, err error) {
	var limit <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		limit = t.C
	}
	refused := make(chan error, 1)
	r.read = r.session.copyTo(r.stdout, r.stderr)
	go func() {
		if err := r.session.start("exec", r.script.line); err != nil {
			refused <- err
			return
		}
		// A script may end without having read its input: no matter.
		_, _ = io.Copy(r.session, r.script.stdin)
		_ = r.session.CloseWrite()
	}()
	select {
	case out.Exit = <-r.session.exit:
	case <-r.session.over:
		select {
		case out.Exit = <-r.session.exit:
		default:
			return out, r.ended()
		}
	case err := <-refused:
		return out, r.refused(err)
	case <-limit:
		out.Exit, out.TimedOut = -1, true
		return out, r.kill(ctx)
	case <-ctx.Done():
		out.Exit = -1
		return out, errors.Join(ctx.Err(), r.kill(ctx))
	}
	out.Held, err = r.drain(ctx)
	if err != nil {
		return out, err
	}
	if !r.stdout.begun() && !r.stderr.begun() {
		return remote.Output{}, &StartError{Exit: out.Exit, Said: r.stderr.before(), Sudo: strings.Contains(r.script.line, " sudo ")}
	}
	return out, nil
}

// refused is a command that the server did not take.
func (r *running) refused(err error) error {
	if errors.Is(err, io.EOF) {
		return r.ended() // the channel closed in the middle of the question
	}
	return &StartError{Err: err}
}

// ended is a channel that closed without an exit status.
func (r *running) ended() error {
	select {
	case <-r.conn.gone:
		return r.conn.lost()
	case <-time.After(time.Second):
		return fmt.Errorf("%w: the session ended without an exit status", remote.ErrLost)
	}
}

// drain waits for the end of the output of a script that has ended. If
// something holds it open, all that was written before is still fetched: the
// server is asked for signs of life until one comes with no output before it.
func (r *running) drain(ctx context.Context) (held bool, err error) {
	t := time.NewTimer(Drain)
	defer t.Stop()
	select {
	case <-r.read:
		return false, nil
	case <-r.session.over:
		<-r.read
		return false, nil
	case <-ctx.Done():
		return false, errors.Join(ctx.Err(), r.kill(ctx))
	case <-t.C:
	}
	for range 20 {
		before := r.count.Load()
		if err := r.conn.ping(); err != nil {
			return false, r.conn.lost()
		}
		if r.count.Load() == before {
			break
		}
	}
	select {
	case <-r.read:
		return false, nil
	default:
		return true, nil
	}
}

// kill ends all that the script started, whatever has become of ctx, and
// fetches what output there is.
func (r *running) kill(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ReapLimit)
	defer cancel()
	if err := r.conn.reap(ctx, r.script.id); err != nil {
		return fmt.Errorf("killing the script: %w", err)
	}
	t := time.NewTimer(Drain)
	defer t.Stop()
	select {
	case <-r.read:
	case <-t.C:
	}
	return nil
}

// StartError is a script that did not begin.
type StartError struct {
	// Exit and Said are of the program that should have started it.
	Exit int
	Said string
	// Sudo says that the script was to run as root, by sudo.
	Sudo bool
	// Err is set when the server refused to run a command at all.
	Err error
}

func (e *StartError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("starting bash: %v", e.Err)
	}
	return fmt.Sprintf("starting bash: exit status %d: %q", e.Exit, e.Said)
}

func (e *StartError) Unwrap() error { return e.Err }

// Hint says what the node has to allow.
func (e *StartError) Hint() string {
	if e.Sudo {
		return "the login user needs sudo without a password: a line such as `USER ALL=(ALL) NOPASSWD: ALL` in /etc/sudoers.d"
	}
	return "the login user needs a POSIX shell, and bash must be installed"
}

// newID is a word that no other process has in its environment.
func newID() string {
	b := make([]byte, 12)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
