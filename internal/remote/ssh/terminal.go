package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/muesli/cancelreader"
	"golang.org/x/crypto/ssh"
	"golang.org/x/term"

	"labctl/internal/remote"
)

// Shell opens the user's login shell (or, if not empty, runs a command) on a
// terminal of its own, for a person: in must be a terminal, which is in raw mode
// until Shell returns; out receives what the node writes. Changes of the
// window's size are passed on. It returns the exit status of the shell. When it
// has returned, nothing reads from in any more.
func (c *Conn) Shell(ctx context.Context, command string, in *os.File, out io.Writer) (exit int, err error) {
	exit, err = c.shell(ctx, command, in, out)
	if err != nil {
		return exit, fmt.Errorf("opening a shell on %q: %w", c.target.Name, err)
	}
	return exit, nil
}

func (c *Conn) shell(ctx context.Context, command string, in *os.File, out io.Writer) (int, error) {
	s, err := c.open(ctx, c.slots)
	if err != nil {
		return -1, err
	}
	defer s.end()
	fd := int(in.Fd())
	columns, rows, err := term.GetSize(fd)
	if err != nil {
		return -1, fmt.Errorf("asking for the terminal's size: %w", err)
	}
	name := os.Getenv("TERM")
	if name == "" {
		name = "dumb"
	}
	ok, err := s.SendRequest("pty-req", true, ssh.Marshal(ptyRequest{
		Term: name, Columns: uint32(columns), Rows: uint32(rows), Modes: "\x00",
	}))
	if err == nil && !ok {
		err = errors.New("the server refuses a terminal")
	}
	if err != nil {
		return -1, err
	}
	// Before the shell speaks, so that nothing is printed in the wrong mode.
	state, err := term.MakeRaw(fd)
	if err != nil {
		return -1, fmt.Errorf("setting the terminal to raw mode: %w", err)
	}
	defer func() { _ = term.Restore(fd, state) }()
	keys, err := cancelreader.NewReader(in)
	if err != nil {
		return -1, fmt.Errorf("reading from the terminal: %w", err)
	}
	read := s.copyTo(out, out)
	kind := "shell"
	if command != "" {
		kind = "exec"
	}
	if err := s.start(kind, command); err != nil {
		return -1, errors.Join(err, keys.Close())
	}
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	typed := make(chan struct{})
	go func() {
		defer close(typed)
		_, _ = io.Copy(s, keys)
		_ = s.CloseWrite()
		_ = keys.Close() // what was read from is not
	}()
	defer func() {
		keys.Cancel()
		s.Close()
		select {
		case <-typed:
		case <-c.gone: // what cannot be written any more is not read either
		}
	}()
	for {
		select {
		case <-resized:
			if columns, rows, err := term.GetSize(fd); err == nil {
				_, _ = s.SendRequest("window-change", false, ssh.Marshal(window{Columns: uint32(columns), Rows: uint32(rows)}))
			}
		case <-s.over:
			<-read
			select {
			case exit := <-s.exit:
				return exit, nil
			default:
				return -1, (&running{conn: c, session: s}).ended()
			}
		case <-ctx.Done():
			return -1, ctx.Err() // the server hangs up the terminal
		}
	}
}

type window struct{ Columns, Rows, Width, Height uint32 }

type ptyRequest struct {
	Term                         string
	Columns, Rows, Width, Height uint32
	Modes                        string
}

// Pipe runs a command in the user's login shell, as `ssh HOST COMMAND` does,
// with the streams apart, unlimited and unchanged, and returns its exit status
// when it ends and its streams do. A cancelled context kills all that it
// started.
func (c *Conn) Pipe(ctx context.Context, command string, stdin io.Reader, stdout, stderr io.Writer) (exit int, err error) {
	exit, err = c.pipe(ctx, command, stdin, stdout, stderr)
	if err != nil {
		return exit, fmt.Errorf("running a command on %q: %w", c.target.Name, err)
	}
	return exit, nil
}

func (c *Conn) pipe(ctx context.Context, command string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	s, err := c.open(ctx, c.slots)
	if err != nil {
		return -1, err
	}
	defer s.end()
	id := newID()
	r := &running{conn: c, session: s, script: script{id: id}}
	r.read = s.copyTo(stdout, stderr)
	refused := make(chan error, 1)
	go func() {
		// The shell itself must have the mark from its first moment.
		marked := remote.Mark + "=" + id + ` exec "${SHELL:-/bin/sh}" -c ` + Quote(command)
		if err := s.start("exec", marked); err != nil {
			refused <- err
			return
		}
		if stdin != nil {
			_, _ = io.Copy(s, stdin)
		}
		_ = s.CloseWrite()
	}()
	select {
	case <-s.over:
		<-r.read
		select {
		case exit := <-s.exit:
			return exit, nil
		default:
			return -1, r.ended()
		}
	case err := <-refused:
		return -1, r.refused(err)
	case <-ctx.Done():
		return -1, errors.Join(ctx.Err(), r.kill(ctx))
	}
}
