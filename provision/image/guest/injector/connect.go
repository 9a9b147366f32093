//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

type client struct {
	log        *events
	stdin      io.Reader
	timeout    time.Duration
	speakFirst bool
}

func (c *client) flags(f *flag.FlagSet) {
	f.DurationVar(&c.timeout, "timeout", 5*time.Second, "")
	f.BoolVar(&c.speakFirst, "speak-first", false, "")
}

// The outcomes of a connection.
const (
	echoed  = "echoed"
	wasRST  = "reset"
	silent  = "silent"
	closed  = "closed"
	garbled = "garbled"
	refused = "refused"
)

// attempt is one connection of the client.
type attempt struct {
	address string
	socket  net.Conn
	outcome string
	err     error
}

func (c *client) run(ctx context.Context, args []string) error {
	attempts, err := wanted(args)
	if err != nil {
		return err
	}
	each := func(do func(a *attempt)) {
		var all sync.WaitGroup
		for _, a := range attempts {
			all.Go(func() { do(a) })
		}
		all.Wait()
	}
	each(func(a *attempt) { c.open(ctx, a) })
	defer each(func(a *attempt) {
		if a.socket != nil {
			a.close()
		}
	})
	there := 0
	for _, a := range attempts {
		if a.socket != nil {
			there++
		}
	}
	c.log.say(event{Event: "ready", Connections: there})
	if err := c.wait(ctx); err != nil {
		return err
	}
	each(func(a *attempt) { c.send(a, "after") })
	for _, t := range tallies(attempts) {
		c.log.say(event{Event: "done", Tally: t})
	}
	return nil
}

// wanted reads ADDRESS:PORT[=COUNT]….
func wanted(args []string) ([]*attempt, error) {
	var attempts []*attempt
	for _, arg := range args {
		address, text, counted := strings.Cut(arg, "=")
		count := 1
		if counted {
			n, err := strconv.ParseUint(text, 10, 16)
			if err != nil || n == 0 {
				return nil, fmt.Errorf("reading %q: a count is a number from 1 to 65535", arg)
			}
			count = int(n)
		}
		if _, _, err := net.SplitHostPort(address); err != nil {
			return nil, fmt.Errorf("reading %q: %w", arg, err)
		}
		for range count {
			attempts = append(attempts, &attempt{address: address})
		}
	}
	if len(attempts) == 0 {
		return nil, fmt.Errorf("nothing to connect to\n%s", usage)
	}
	return attempts, nil
}

// open opens a connection.
func (c *client) open(ctx context.Context, a *attempt) {
	dialer := net.Dialer{Timeout: c.timeout, KeepAlive: -1}
	if a.socket, a.err = dialer.DialContext(ctx, "tcp4", a.address); a.err != nil {
		a.outcome = refused
		c.log.say(event{Event: refused, Remote: a.address, Error: a.err.Error()})
		return
	}
	c.say(a, "connected")
	if c.speakFirst {
		c.send(a, "before")
		if a.outcome == echoed {
			a.outcome = ""
		}
	}
}

// send sends a line on a connection that has no outcome yet, and gives it one.
func (c *client) send(a *attempt, word string) {
	if a.outcome != "" {
		return
	}
	line := word + " " + a.socket.LocalAddr().String() + "\n"
	_ = a.socket.SetDeadline(time.Now().Add(c.timeout))
	got := ""
	_, a.err = io.WriteString(a.socket, line)
	if a.err == nil {
		got, a.err = bufio.NewReader(a.socket).ReadString('\n')
	}
	a.outcome = outcome(line, got, a.err)
	c.say(a, a.outcome)
}

// close ends the connection. Where nobody answers, its line would be sent again for
// minutes, into what is tried next: such a one ends without a word that waits for an
// answer.
func (a *attempt) close() {
	if tcp, ok := a.socket.(*net.TCPConn); ok && a.outcome == silent {
		_ = tcp.SetLinger(0)
	}
	_ = a.socket.Close()
}

// outcome says what it means that a line was sent and this came.
func outcome(sent, got string, err error) string {
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return wasRST
	case got == sent:
		return echoed
	case got != "":
		return garbled
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return silent
	}
	return closed
}

func (c *client) say(a *attempt, what string) {
	ev := event{Event: what, Local: a.socket.LocalAddr().String(), Remote: a.socket.RemoteAddr().String()}
	if a.err != nil {
		ev.Error = a.err.Error()
	}
	c.log.say(ev)
}

// wait waits for a line on stdin, or its end.
func (c *client) wait(ctx context.Context) error {
	line := make(chan struct{})
	go func() {
		defer close(line)
		_, _ = bufio.NewReader(c.stdin).ReadString('\n')
	}()
	select {
	case <-line:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for a line on stdin: %w", context.Cause(ctx))
	}
}

// tallies count the outcomes by address, in the order of the addresses.
func tallies(attempts []*attempt) []*Tally {
	var list []*Tally
	by := map[string]*Tally{}
	for _, a := range attempts {
		t := by[a.address]
		if t == nil {
			t = &Tally{Address: a.address}
			by[a.address] = t
			list = append(list, t)
		}
		t.Tries++
		switch a.outcome {
		case echoed:
			t.Echoed++
		case wasRST:
			t.Reset++
		case silent:
			t.Silent++
		case closed:
			t.Closed++
		case garbled:
			t.Garbled++
		case refused:
			t.Refused++
		}
	}
	return list
}
