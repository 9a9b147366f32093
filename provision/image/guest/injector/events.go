//go:build linux

package main

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// event is one line of output; fields that do not apply are left out.
type event struct {
	Time  time.Time `json:"time"`
	Event string    `json:"event"`
	// Local and Remote are the connection's ends as this side sees them.
	Local  string `json:"local,omitempty"`
	Remote string `json:"remote,omitempty"`
	// Seq, Ack and Offset are of an injected segment and of a RST; Offset is how
	// far Seq is from what the receiver expects next.
	Seq    *uint32 `json:"seq,omitempty"`
	Ack    *uint32 `json:"ack,omitempty"`
	Offset *int64  `json:"offset,omitempty"`
	// Connections is how many there are when the client is ready.
	Connections int    `json:"connections,omitempty"`
	Error       string `json:"error,omitempty"`
	*Tally
}

// Tally counts what became of the connections to one address.
type Tally struct {
	Address string `json:"address"`
	Tries   int    `json:"tries"`
	Echoed  int    `json:"echoed"`
	Reset   int    `json:"reset"`
	Silent  int    `json:"silent"`
	Closed  int    `json:"closed"`
	Garbled int    `json:"garbled"`
	// Refused could not be opened.
	Refused int `json:"refused"`
}

// events writes events, one line each.
type events struct {
	mu  sync.Mutex
	out io.Writer
}

func (e *events) say(ev event) {
	ev.Time = time.Now().UTC().Truncate(time.Millisecond)
	e.mu.Lock()
	defer e.mu.Unlock()
	// Whoever does not read the events still wants the segments.
	_ = json.NewEncoder(e.out).Encode(ev)
}
