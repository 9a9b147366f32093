package libvirt

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	golibvirt "github.com/digitalocean/go-libvirt"
)

// link keeps at most one session to a daemon and makes it again when it is
// gone.
type link struct {
	target  *target
	timeout time.Duration
	turn    chan struct{} // holds the right to look at and replace current
	current *session
}

func newLink(t *target, timeout time.Duration) *link {
	return &link{target: t, timeout: timeout, turn: make(chan struct{}, 1)}
}

// session is one connection, with the library's client on top.
type session struct {
	lv     *golibvirt.Libvirt
	conn   *watchedConn
	silent atomic.Bool // closed because the daemon did not answer
}

func (s *session) gone() bool {
	select {
	case <-s.conn.gone:
		return true
	default:
		return false
	}
}

// session returns the living session, connecting if there is none.
func (k *link) session(ctx context.Context) (*session, error) {
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-k.turn }()
	if k.current != nil && !k.current.gone() {
		return k.current, nil
	}
	s, err := k.connect(ctx)
	if err != nil {
		return nil, err
	}
	k.current = s
	return s, nil
}

// connect opens a session of its own, which the caller closes.
func (k *link) connect(ctx context.Context) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, k.timeout)
	defer cancel()
	raw, err := k.target.dial(ctx)
	if err != nil {
		return nil, err
	}
	conn := &watchedConn{Conn: newOrderedConn(raw), gone: make(chan struct{})}
	s := &session{lv: golibvirt.NewWithDialer(dialed{conn}), conn: conn}
	opened := make(chan error, 1)
	go func() { opened <- s.lv.ConnectToURI(golibvirt.ConnectURI(k.target.driver)) }()
	select {
	case err = <-opened:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, explainOpen(k.target.uri, err)
	}
	return s, nil
}

// close drops the session without a goodbye: a stopped daemon would never
// answer it.
func (k *link) close() {
	k.turn <- struct{}{}
	defer func() { <-k.turn }()
	if k.current != nil {
		k.current.conn.Close()
		k.current = nil
	}
}

// call runs one quick call: it ends within the link's timeout.
func call[T any](ctx context.Context, k *link, doing string, fn func(*golibvirt.Libvirt) (T, error)) (T, error) {
	limited, cancel := context.WithTimeout(ctx, k.timeout)
	defer cancel()
	return on(ctx, limited, k, doing, fn)
}

// do is call for calls without a result.
func do(ctx context.Context, k *link, doing string, fn func(*golibvirt.Libvirt) error) error {
	_, err := call(ctx, k, doing, func(l *golibvirt.Libvirt) (struct{}, error) { return struct{}{}, fn(l) })
	return err
}

// callSlow runs a call that may take long on a healthy daemon, such as writing a
// guest's memory to disk. It lasts as long as its context allows and the daemon
// still answers other calls.
func callSlow[T any](ctx context.Context, k *link, doing string, fn func(*golibvirt.Libvirt) (T, error)) (T, error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	return on(ctx, limited, k, doing, func(l *golibvirt.Libvirt) (T, error) {
		done := make(chan struct{})
		defer close(done)
		go heartbeat(l, k.timeout, done, cancel)
		return fn(l)
	})
}

// doSlow is callSlow for calls without a result.
func doSlow(ctx context.Context, k *link, doing string, fn func(*golibvirt.Libvirt) error) error {
	_, err := callSlow(ctx, k, doing, func(l *golibvirt.Libvirt) (struct{}, error) { return struct{}{}, fn(l) })
	return err
}

// heartbeat calls dead once the daemon has not answered for the timeout.
func heartbeat(l *golibvirt.Libvirt, timeout time.Duration, done <-chan struct{}, dead func()) {
	tick := time.NewTicker(max(timeout/3, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			_, _ = l.ConnectGetLibVersion() // any answer is a sign of life
		}()
		select {
		case <-done:
			return
		case <-answered:
		case <-time.After(timeout):
			dead()
			return
		}
	}
}

// on runs fn on the link's session until it returns or limited ends; then the
// connection is closed, the only way to make the library let go, and fn is left
// behind. Its result travels in a channel, so nothing is shared with it.
func on[T any](ctx, limited context.Context, k *link, doing string, fn func(*golibvirt.Libvirt) (T, error)) (T, error) {
	var zero T
	type result struct {
		value T
		err   error
	}
	s, err := k.session(limited)
	if err != nil {
		return zero, fmt.Errorf("%s: %w", doing, k.blame(ctx, err))
	}
	done := make(chan result, 1)
	go func() {
		v, err := fn(s.lv)
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return r.value, fmt.Errorf("%s: %w", doing, k.explain(s, r.err))
		}
		return r.value, nil
	case <-limited.Done():
		s.silent.Store(ctx.Err() == nil)
		s.conn.Close()
		return zero, fmt.Errorf("%s: %w", doing, k.blame(ctx, limited.Err()))
	}
}

// blame tells the caller's own end from the daemon's silence.
func (k *link) blame(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &SilentError{URI: k.target.uri, After: k.timeout}
	}
	return err
}

// explain turns what a call on a session came back with into our errors.
func (k *link) explain(s *session, err error) error {
	if s.silent.Load() {
		return &SilentError{URI: k.target.uri, After: k.timeout}
	}
	if e := asLibvirt(err); e != nil {
		return e
	}
	// A write may learn of the end before the reader does.
	if s.gone() || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		return &LostError{URI: k.target.uri, Err: err}
	}
	return err
}

// dialed hands an open connection to the library.
type dialed struct{ conn net.Conn }

func (d dialed) Dial() (net.Conn, error) { return d.conn, nil }

// watchedConn tells when the connection has ended, whoever ended it.
type watchedConn struct {
	net.Conn
	once sync.Once
	gone chan struct{}
	err  error
}

func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil {
		c.Close()
	}
	return n, err
}

func (c *watchedConn) Close() error {
	c.once.Do(func() {
		close(c.gone)
		c.err = c.Conn.Close()
	})
	return c.err
}
