package libvirt

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
)

// orderedConn puts the daemon's packets into the order that the library takes
// for granted. The daemon may send the first data of a download before its
// reply to the call that asked for it (seen with libvirt 9.0, about once in 300
// downloads). The library looks at serial numbers only: it takes the data for
// the reply, the reply for the end, and the real end blocks its only reader for
// ever.
type orderedConn struct {
	net.Conn
	r       *bufio.Reader
	ready   []byte           // what Read hands out next
	early   map[int32][]byte // data that came before its reply, by serial
	replied [remembered]int32
	next    int // in replied
}

// remembered is how many replied calls are kept in mind: data that is not early
// follows its reply closely, and a client has at most five calls in flight.
const remembered = 64

// From libvirt's virNetMessageHeader: a length, then six words.
const (
	packetHeader  = 4 + 6*4
	typeOffset    = 4 + 3*4
	serialOffset  = 4 + 4*4
	typeReply     = 1
	typeStream    = 3
	longestPacket = 32 << 20 // VIR_NET_MESSAGE_MAX
)

func newOrderedConn(c net.Conn) *orderedConn {
	return &orderedConn{Conn: c, r: bufio.NewReader(c), early: map[int32][]byte{}}
}

// Read is called by one goroutine only, the library's.
func (c *orderedConn) Read(p []byte) (int, error) {
	for len(c.ready) == 0 {
		packet, err := c.packet()
		if err != nil {
			return 0, err
		}
		c.sort(packet)
	}
	n := copy(p, c.ready)
	c.ready = c.ready[n:]
	return n, nil
}

// packet reads one whole packet.
func (c *orderedConn) packet() ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(c.r, length[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n < packetHeader || n > longestPacket {
		return nil, fmt.Errorf("a packet of %d bytes is none of libvirt's", n)
	}
	packet := make([]byte, n)
	copy(packet, length[:])
	if _, err := io.ReadFull(c.r, packet[4:]); err != nil {
		return nil, err
	}
	return packet, nil
}

// sort makes the packet ready, or keeps it until its call's reply is there.
func (c *orderedConn) sort(packet []byte) {
	serial := int32(binary.BigEndian.Uint32(packet[serialOffset:]))
	switch binary.BigEndian.Uint32(packet[typeOffset:]) {
	case typeReply:
		c.replied[c.next%remembered] = serial
		c.next++
		c.ready = append(packet, c.early[serial]...)
		delete(c.early, serial)
	case typeStream:
		if !slices.Contains(c.replied[:], serial) {
			c.early[serial] = append(c.early[serial], packet...)
			return
		}
		c.ready = packet
	default:
		c.ready = packet
	}
}
