package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/crypto/ssh"
)

// session is one channel. The library's own Session waits for the end of the
// streams before it tells the exit status; a background process that holds
// them would make every caller wait. So this is the channel itself.
type session struct {
	ssh.Channel
	// exit receives the exit status if one comes.
	exit chan int
	// over is closed when the channel is.
	over chan struct{}
	// release gives the slot back.
	release func()
}

// open waits for a free slot and opens a channel in it.
func (c *Conn) open(ctx context.Context, slots chan struct{}) (*session, error) {
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.gone:
		return nil, c.lost()
	}
	release := func() { <-slots }
	type opened struct {
		s   *session
		err error
	}
	answer := make(chan opened, 1)
	go func() {
		s, err := c.openChannel(ctx)
		answer <- opened{s, err}
	}()
	select {
	case o := <-answer:
		if o.err != nil {
			release()
			return nil, o.err
		}
		o.s.release = release
		return o.s, nil
	case <-ctx.Done():
		go func() {
			if o := <-answer; o.err == nil {
				o.s.Close()
			}
			release()
		}()
		return nil, ctx.Err()
	}
}

// openChannel tries for a while if the server has no session free: a channel
// that this side has closed may still count on the other.
func (c *Conn) openChannel(ctx context.Context) (*session, error) {
	for try := 0; ; try++ {
		ch, requests, err := c.client.OpenChannel("session", nil)
		var refused *ssh.OpenChannelError
		switch {
		case err == nil:
			s := &session{Channel: ch, exit: make(chan int, 1), over: make(chan struct{})}
			go s.listen(requests)
			return s, nil
		case !errors.As(err, &refused):
			c.end(err)
			return nil, c.lost()
		case try == 20 || ctx.Err() != nil || !c.wait(time.Duration(try)*50*time.Millisecond):
			return nil, fmt.Errorf("opening a session: %w", refused)
		}
	}
}

func (s *session) listen(requests <-chan *ssh.Request) {
	for r := range requests {
		switch r.Type {
		case "exit-status":
			var m struct{ Status uint32 }
			if ssh.Unmarshal(r.Payload, &m) == nil {
				s.tell(int(m.Status))
			}
		case "exit-signal":
			var m struct {
				Signal     string
				CoreDumped bool
				Message    string
				Language   string
			}
			if ssh.Unmarshal(r.Payload, &m) == nil {
				s.tell(128 + signals[m.Signal])
			}
		}
		if r.WantReply {
			_ = r.Reply(false, nil)
		}
	}
	close(s.over)
}

func (s *session) tell(exit int) {
	select {
	case s.exit <- exit:
	default: // a second status means nothing
	}
}

// signals are those that SSH has names for. Of the others only 128 is told.
var signals = map[string]int{
	"HUP": 1, "INT": 2, "QUIT": 3, "ILL": 4, "ABRT": 6, "FPE": 8, "KILL": 9,
	"USR1": 10, "SEGV": 11, "USR2": 12, "PIPE": 13, "ALRM": 14, "TERM": 15,
}

// start asks for a command (or, with "shell", for the login shell).
func (s *session) start(kind, command string) error {
	var payload []byte
	if kind == "exec" {
		payload = ssh.Marshal(struct{ Command string }{command})
	}
	ok, err := s.SendRequest(kind, true, payload)
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("refused by the server")
	}
	return nil
}

// copyTo copies both streams and closes the channel it returns when both have
// ended.
func (s *session) copyTo(stdout, stderr io.Writer) <-chan struct{} {
	done := make(chan struct{})
	first := make(chan struct{})
	go func() {
		_, _ = io.Copy(stdout, s.Channel)
		close(first)
	}()
	go func() {
		_, _ = io.Copy(stderr, s.Stderr())
		<-first
		close(done)
	}()
	return done
}

func (s *session) end() {
	s.Close()
	s.release()
}
