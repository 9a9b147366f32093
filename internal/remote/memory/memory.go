// Package memory is a remote.Conn without a node: given this command, answer
// that. It keeps files, and a record of what was run. It is held to the same
// suite as the real one (remotetest).
package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"

	"labctl/internal/remote"
)

// Answer is what a script does.
type Answer struct {
	// Output is what comes of it: Exit, Stdout, Stderr and Held. The rest is
	// worked out.
	Output remote.Output
	// After is how long the script takes after it has written its output.
	After time.Duration
	// Err is returned in place of all that.
	Err error
}

// Call is a command that was run, and what came of it.
type Call struct {
	Command remote.Command
	Output  remote.Output
	Err     error
}

// File is a file that was put.
type File struct {
	Mode    fs.FileMode
	Content []byte
}

// Conn is a connection to a node that does not exist.
type Conn struct {
	mu    sync.Mutex
	rules []rule
	calls []Call
	files map[string]File
	gone  chan struct{}
	cause error
}

type rule struct {
	match  func(remote.Command) bool
	answer func(remote.Command) Answer
}

var _ remote.Conn = (*Conn)(nil)

// New returns a node that knows no answer yet and has no files.
func New() *Conn {
	return &Conn{files: map[string]File{}, gone: make(chan struct{})}
}

// On sets what a script, word for word, does: the first answer when it runs
// first, the second when it runs again; the last one stays. Without an answer
// it ends with 0 and says nothing.
func (c *Conn) On(script string, answers ...Answer) {
	var mu sync.Mutex
	c.When(func(cmd remote.Command) bool { return cmd.Script == script }, func(remote.Command) Answer {
		mu.Lock()
		defer mu.Unlock()
		if len(answers) == 0 {
			return Answer{}
		}
		a := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		return a
	})
}

// When sets what any command that matches does. Of several rules that match,
// the one that was set last counts.
func (c *Conn) When(match func(remote.Command) bool, answer func(remote.Command) Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rules = append(c.rules, rule{match, answer})
}

// Calls returns what was run so far, in the order in which it ended.
func (c *Conn) Calls() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.calls)
}

// Files returns all files by their path.
func (c *Conn) Files() map[string]File {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.files)
}

// Lose ends the connection as a broken network does: what runs, and all that
// comes, is lost.
func (c *Conn) Lose(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		c.cause = fmt.Errorf("%w: %w", remote.ErrLost, cause)
		close(c.gone)
	}
}

// Close ends the connection.
func (c *Conn) Close() error {
	c.Lose(errors.New("closed"))
	return nil
}

// Run answers a command. One that no rule matches is an error that quotes it.
func (c *Conn) Run(ctx context.Context, cmd remote.Command) (remote.Output, error) {
	out, err := c.run(ctx, cmd)
	c.mu.Lock()
	c.calls = append(c.calls, Call{cmd, out, err})
	c.mu.Unlock()
	return out, err
}

func (c *Conn) run(ctx context.Context, cmd remote.Command) (remote.Output, error) {
	if err := errors.Join(cmd.Validate(), ctx.Err(), c.lost()); err != nil {
		return remote.Output{}, fmt.Errorf("running a script: %w", err)
	}
	answer, ok := c.answer(cmd)
	if !ok {
		return remote.Output{}, fmt.Errorf("running a script: no answer set for %q", cmd.Script)
	}
	if answer.Err != nil {
		return remote.Output{}, answer.Err
	}
	begin := time.Now()
	out := remote.Output{Exit: answer.Output.Exit, Held: answer.Output.Held}
	out.Stdout = keep(answer.Output.Stdout, cmd.Stdout, &out.Dropped)
	out.Stderr = keep(answer.Output.Stderr, cmd.Stderr, &out.Dropped)
	err := c.pass(ctx, cmd.Timeout, answer.After, &out)
	out.Duration = time.Since(begin)
	return out, err
}

// pass lets the script's time pass.
func (c *Conn) pass(ctx context.Context, limit, after time.Duration, out *remote.Output) error {
	timeout := limit > 0 && limit < after
	if timeout {
		after = limit
	}
	t := time.NewTimer(after)
	defer t.Stop()
	select {
	case <-t.C:
		if timeout {
			out.Exit, out.TimedOut, out.Held = -1, true, false
		}
		return nil
	case <-ctx.Done():
		out.Exit = -1
		return fmt.Errorf("running a script: %w", ctx.Err())
	case <-c.gone:
		return fmt.Errorf("running a script: %w", c.lost())
	}
}

func keep(stream []byte, listen func([]byte), dropped *int64) []byte {
	var k remote.Keeper
	_, _ = k.Write(stream)
	if listen != nil && len(stream) > 0 {
		listen(slices.Clone(stream))
	}
	kept, n := k.Bytes()
	*dropped += n
	return kept
}

func (c *Conn) answer(cmd remote.Command) (Answer, bool) {
	c.mu.Lock()
	rules := slices.Clone(c.rules)
	c.mu.Unlock()
	for _, r := range slices.Backward(rules) {
		if r.match(cmd) {
			return r.answer(cmd), true
		}
	}
	return Answer{}, false
}

func (c *Conn) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}

// Put keeps a file. Every folder exists.
func (c *Conn) Put(ctx context.Context, path string, mode fs.FileMode, content []byte) error {
	if err := errors.Join(ctx.Err(), c.lost(), remote.ValidatePath(path)); err != nil {
		return fmt.Errorf("writing %q: %w", path, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files[path] = File{mode, slices.Clone(content)}
	return nil
}

// Get returns a file that was put.
func (c *Conn) Get(ctx context.Context, path string) ([]byte, error) {
	if err := errors.Join(ctx.Err(), c.lost(), remote.ValidatePath(path)); err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.files[path]
	if !ok {
		return nil, fmt.Errorf("reading %q: %w", path, fs.ErrNotExist)
	}
	return slices.Clone(f.Content), nil
}
