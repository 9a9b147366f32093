//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Sequence numbers are compared as signed distances of 32 bits (RFC 9293, section
// 3.4): what is further off than that is on the other side.
const mostOffset = 1<<31 - 1

// defaultOffset is further ahead than any window that a receiver can offer: 65,535
// shifted by at most 14 (RFC 7323, section 2.3) is 2^30, but Linux's own limit for
// buffers, tcp_rmem, keeps it at some megabytes.
const defaultOffset = 200_000_000

type server struct {
	log     *events
	ports   portList
	control string
	offset  int64
	// delay is how long after a handshake to inject; negative means only when asked.
	delay time.Duration

	raw   raw
	track tracker
}

func (s *server) flags(f *flag.FlagSet) {
	f.Var(&s.ports, "port", "")
	f.StringVar(&s.control, "control", ":8000", "")
	f.Int64Var(&s.offset, "seq-offset", defaultOffset, "")
	f.DurationVar(&s.delay, "delay", -1, "")
}

// portList is a flag that may be given several times.
type portList []int

func (p *portList) String() string { return fmt.Sprint([]int(*p)) }

func (p *portList) Set(text string) error {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return errors.New("a port is a number from 1 to 65535")
	}
	*p = append(*p, int(port))
	return nil
}

func checkOffset(n int64) error {
	if n > mostOffset || n < -mostOffset {
		return fmt.Errorf("a sequence number is at most %d away, not %d", mostOffset, n)
	}
	return nil
}

func (s *server) run(ctx context.Context) error {
	if err := checkOffset(s.offset); err != nil {
		return err
	}
	if len(s.ports) == 0 {
		s.ports = portList{9000}
	}
	s.track.ports = s.ports
	var err error
	if s.raw, err = openRaw(); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	both := func(part func(context.Context) error) {
		all.Go(func() {
			if err := part(ctx); err != nil {
				stop(err)
			}
		})
	}
	both(func(ctx context.Context) error { return s.raw.each(ctx, s.saw) })
	for _, port := range s.ports {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", net.JoinHostPort("", strconv.Itoa(port)))
		if err != nil {
			stop(fmt.Errorf("listening on port %d: %w", port, err))
			break
		}
		s.log.say(event{Event: "listening", Local: listener.Addr().String()})
		context.AfterFunc(ctx, func() { _ = listener.Close() })
		both(func(ctx context.Context) error { return s.accept(ctx, listener) })
	}
	both(s.serveControl)
	<-ctx.Done()
	s.track.forget()
	all.Wait()
	s.raw.close()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// saw is told of every segment that arrives.
func (s *server) saw(seg segment) {
	rst, hit := s.track.segment(seg)
	if !rst {
		return
	}
	ev := event{Event: "rst", Local: seg.destination.String(), Remote: seg.source.String(), Seq: &seg.seq}
	if hit != nil {
		ev.Offset = &hit.Offset
	}
	s.log.say(ev)
}

func (s *server) accept(ctx context.Context, listener net.Listener) error {
	for {
		socket, err := listener.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("accepting on %q: %w", listener.Addr(), err)
		}
		go s.echo(ctx, socket)
	}
}

// echo serves one connection.
func (s *server) echo(ctx context.Context, socket net.Conn) {
	defer socket.Close()
	e := ends{addrPort(socket.LocalAddr()), addrPort(socket.RemoteAddr())}
	say := func(what string) {
		s.log.say(event{Event: what, Local: e.local.String(), Remote: e.remote.String()})
	}
	s.track.accepted(e, socket)
	say("accepted")
	if s.delay >= 0 {
		time.AfterFunc(s.delay, func() { s.inject(ctx, e, s.offset) })
	}
	buffer := make([]byte, 4096)
	for {
		n, err := socket.Read(buffer)
		if n > 0 {
			s.track.received(e, n)
			_, err = socket.Write(buffer[:n])
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, syscall.ECONNRESET):
			s.track.ended(e, socket, stateReset)
			say("reset")
		case errors.Is(err, net.ErrClosed): // forgotten
		default: // its end, or one that is as good
			s.track.ended(e, socket, stateClosed)
			say("closed")
		}
		return
	}
}

// inject sends one segment into a connection, and tells whether it did.
func (s *server) inject(ctx context.Context, e ends, offset int64) bool {
	ev := event{Event: "injected", Local: e.local.String(), Remote: e.remote.String(), Offset: &offset}
	seg, err := s.track.forge(e, offset)
	// The socket may be there a moment before its handshake has been read.
	for tries := 0; errors.Is(err, errNotOpen) && tries < 200 && ctx.Err() == nil; tries++ {
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
		seg, err = s.track.forge(e, offset)
	}
	if err == nil {
		ev.Seq, ev.Ack = &seg.seq, &seg.ack
		err = s.raw.send(seg)
	}
	if err == nil {
		s.track.injected(e)
	} else {
		ev.Event, ev.Error = "not injected", err.Error()
	}
	s.log.say(ev)
	return err == nil
}

// serveControl answers those who ask for segments, and what became of connections.
func (s *server) serveControl(ctx context.Context) error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /inject", func(w http.ResponseWriter, r *http.Request) {
		offset := s.offset
		if text := r.URL.Query().Get("seq-offset"); text != "" {
			var err error
			if offset, err = strconv.ParseInt(text, 10, 64); err != nil {
				http.Error(w, fmt.Sprintf("seq-offset %q is not a number", text), http.StatusBadRequest)
				return
			}
		}
		if err := checkOffset(offset); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		injected := 0
		for _, e := range s.track.open() {
			if s.inject(ctx, e, offset) {
				injected++
			}
		}
		answer(w, map[string]int{"injected": injected})
	})
	mux.HandleFunc("GET /connections", func(w http.ResponseWriter, _ *http.Request) { answer(w, s.track.summary()) })
	mux.HandleFunc("DELETE /connections", func(w http.ResponseWriter, _ *http.Request) {
		s.track.forget()
		w.WriteHeader(http.StatusNoContent)
	})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", s.control)
	if err != nil {
		return fmt.Errorf("listening on %q: %w", s.control, err)
	}
	s.log.say(event{Event: "control", Local: listener.Addr().String()})
	h := http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = h.Close() })
	if err := h.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving %q: %w", s.control, err)
	}
	return nil
}

func answer(w io.Writer, what any) {
	// Who has gone does not want it any more.
	_ = json.NewEncoder(w).Encode(what)
}

func addrPort(a net.Addr) netip.AddrPort {
	tcp, _ := a.(*net.TCPAddr)
	p := tcp.AddrPort()
	return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
}
