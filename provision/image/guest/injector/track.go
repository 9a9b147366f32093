//go:build linux

package main

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
)

// The states of a connection, as the server sees it.
const (
	stateOpening = "opening" // its SYN came
	stateOpen    = "open"
	stateReset   = "reset" // the kernel gave it up because a RST came
	stateClosed  = "closed"
)

// connection is one connection of the server.
type connection struct {
	Local  netip.AddrPort `json:"local"`
	Remote netip.AddrPort `json:"remote"`
	State  string         `json:"state"`
	// Injected counts segments, Received is bytes that the client sent.
	Injected int `json:"injected"`
	Received int `json:"received"`
	// RST is the first that came for it.
	RST *reset `json:"rst,omitempty"`

	// next is the sequence number that the client sends next, expected the one
	// that it expects from us.
	next, expected uint32
	socket         net.Conn
}

// reset is a RST that came. Offset is how far its sequence number is from the one
// that ends the connection at once (RFC 5961, section 3.2).
type reset struct {
	Seq    uint32 `json:"seq"`
	Offset int64  `json:"offset"`
}

// ends name a connection.
type ends struct{ local, remote netip.AddrPort }

// tracker knows the server's connections from the segments that arrive for them
// and from their sockets; either may be first.
type tracker struct {
	mu    sync.Mutex
	ports []int
	known map[ends]*connection
	order []*connection
	stray int
}

// at returns the connection between two ends, a new one if need be: the same ports
// after an end are another. The caller holds the lock.
func (t *tracker) at(e ends) *connection {
	if c := t.known[e]; c != nil {
		if c.State == stateOpening || c.State == stateOpen {
			return c
		}
		t.order = slices.DeleteFunc(t.order, func(o *connection) bool { return o == c })
	}
	if t.known == nil {
		t.known = map[ends]*connection{}
	}
	c := &connection{Local: e.local, Remote: e.remote, State: stateOpening}
	t.known[e] = c
	t.order = append(t.order, c)
	return c
}

// segment notes one that arrived. A RST is returned with how far off it is, nil if
// it belongs to no connection.
func (t *tracker) segment(s segment) (rst bool, hit *reset) {
	if !slices.Contains(t.ports, int(s.destination.Port())) {
		return false, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	e := ends{s.destination, s.source}
	switch {
	case s.flags&flagRST != 0:
		c := t.known[e]
		if c == nil {
			t.stray++
			return true, nil
		}
		hit = &reset{Seq: s.seq, Offset: int64(int32(s.seq - c.next))}
		if c.RST == nil {
			c.RST = hit
		}
		return true, hit
	case s.flags&flagSYN != 0:
		c := t.known[e]
		if c == nil || c.next != 0 {
			c = t.at(e)
		}
		// Otherwise its socket came first, and may have ended before this was read.
		if c.next == 0 {
			c.next = s.seq + 1
		}
	case s.flags&flagACK != 0:
		c := t.known[e]
		if c == nil {
			return false, nil // it began before we looked, or is forgotten
		}
		// One that was sent again, or comes late, moves nothing back.
		if end := s.seq + uint32(len(s.payload)); int32(end-c.next) >= 0 {
			c.next = end
		}
		if c.expected == 0 || int32(s.ack-c.expected) > 0 {
			c.expected = s.ack
		}
	}
	return false, nil
}

// accepted notes the socket of a connection.
func (t *tracker) accepted(e ends, socket net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.at(e)
	c.State, c.socket = stateOpen, socket
}

func (t *tracker) received(e ends, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.known[e]; c != nil {
		c.Received += n
	}
}

func (t *tracker) ended(e ends, socket net.Conn, state string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.known[e]; c != nil && c.socket == socket {
		c.State = state
	}
}

var errNotOpen = errors.New("the connection is not open")

// forge makes a segment that is off by so much for a connection.
func (t *tracker) forge(e ends, offset int64) (segment, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.known[e]
	if c == nil || c.State != stateOpen || c.expected == 0 {
		return segment{}, errNotOpen
	}
	return segment{
		source: e.local, destination: e.remote, seq: c.expected + uint32(offset), ack: c.next,
		flags: flagPSH | flagACK, window: 502, payload: []byte("injected"),
	}, nil
}

// injected counts a segment that was sent.
func (t *tracker) injected(e ends) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.known[e]; c != nil {
		c.Injected++
	}
}

// open returns the connections that are.
func (t *tracker) open() []ends {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []ends
	for _, c := range t.order {
		if c.State == stateOpen {
			list = append(list, ends{c.Local, c.Remote})
		}
	}
	return list
}

// summary is what GET /connections answers.
type summary struct {
	Connections int `json:"connections"`
	Open        int `json:"open"`
	Reset       int `json:"reset"`
	Closed      int `json:"closed"`
	// Injected is how many got a segment, RST how many had one come for them, and
	// Stray counts the RSTs that came for none.
	Injected int          `json:"injected"`
	RST      int          `json:"rst"`
	Stray    int          `json:"stray"`
	Each     []connection `json:"each"`
}

func (t *tracker) summary() summary {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := summary{Connections: len(t.order), Stray: t.stray, Each: []connection{}}
	for _, c := range t.order {
		switch c.State {
		case stateOpen:
			sum.Open++
		case stateReset:
			sum.Reset++
		case stateClosed:
			sum.Closed++
		}
		if c.Injected > 0 {
			sum.Injected++
		}
		if c.RST != nil {
			sum.RST++
		}
		sum.Each = append(sum.Each, *c)
	}
	return sum
}

// forget ends all connections, and knows of none from there on.
func (t *tracker) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.order {
		if c.socket != nil {
			// Whatever state the other side is in: no last words that could be taken
			// for those of a later connection.
			if tcp, ok := c.socket.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			_ = c.socket.Close()
		}
	}
	t.known, t.order, t.stray = nil, nil, 0
}
