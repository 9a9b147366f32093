//go:build linux

package main

import (
	"encoding/binary"
	"errors"
	"net/netip"
)

// The flags of a TCP header (RFC 9293, section 3.1).
const (
	flagFIN = 1 << iota
	flagSYN
	flagRST
	flagPSH
	flagACK
)

const (
	tcpHeader   = 20
	protocolTCP = 6
)

// segment is a TCP segment in IPv4, without options.
type segment struct {
	source, destination netip.AddrPort
	seq, ack            uint32
	flags               uint8
	window              uint16
	payload             []byte
}

var errNoSegment = errors.New("no TCP segment in IPv4")

// parse reads a segment from an IPv4 packet. Options are dropped; of a packet that
// was cut off the payload is what is there.
func parse(packet []byte) (segment, error) {
	if len(packet) < 20 || packet[0]>>4 != 4 || packet[9] != protocolTCP {
		return segment{}, errNoSegment
	}
	header, total := int(packet[0]&15)*4, int(binary.BigEndian.Uint16(packet[2:]))
	if fragment := binary.BigEndian.Uint16(packet[6:]) & 0x1fff; header < 20 || fragment != 0 {
		return segment{}, errNoSegment
	}
	if total >= header && total < len(packet) {
		packet = packet[:total] // the rest is the link's padding
	}
	if len(packet) < header+tcpHeader {
		return segment{}, errNoSegment
	}
	tcp := packet[header:]
	data := int(tcp[12]>>4) * 4
	if data < tcpHeader || data > len(tcp) {
		return segment{}, errNoSegment
	}
	address := func(at int) netip.Addr { return netip.AddrFrom4([4]byte(packet[at : at+4])) }
	return segment{
		source:      netip.AddrPortFrom(address(12), binary.BigEndian.Uint16(tcp)),
		destination: netip.AddrPortFrom(address(16), binary.BigEndian.Uint16(tcp[2:])),
		seq:         binary.BigEndian.Uint32(tcp[4:]),
		ack:         binary.BigEndian.Uint32(tcp[8:]),
		flags:       tcp[13],
		window:      binary.BigEndian.Uint16(tcp[14:]),
		payload:     tcp[data:],
	}, nil
}

// bytes are the segment's TCP header and payload, with its checksum.
func (s segment) bytes() []byte {
	tcp := make([]byte, tcpHeader, tcpHeader+len(s.payload))
	binary.BigEndian.PutUint16(tcp, s.source.Port())
	binary.BigEndian.PutUint16(tcp[2:], s.destination.Port())
	binary.BigEndian.PutUint32(tcp[4:], s.seq)
	binary.BigEndian.PutUint32(tcp[8:], s.ack)
	tcp[12] = tcpHeader / 4 << 4
	tcp[13] = s.flags
	binary.BigEndian.PutUint16(tcp[14:], s.window)
	tcp = append(tcp, s.payload...)
	binary.BigEndian.PutUint16(tcp[16:], s.checksum(tcp))
	return tcp
}

// checksum is that of a TCP header and payload between the segment's addresses;
// the header's own field counts as it is (RFC 9293, section 3.1).
func (s segment) checksum(tcp []byte) uint16 {
	source, destination := s.source.Addr().As4(), s.destination.Addr().As4()
	pseudo := append(source[:], destination[:]...)
	pseudo = append(pseudo, 0, protocolTCP)
	pseudo = binary.BigEndian.AppendUint16(pseudo, uint16(len(tcp)))
	return internet(append(pseudo, tcp...))
}

// internet is the checksum of RFC 1071.
func internet(data []byte) uint16 {
	var sum uint32
	for ; len(data) > 1; data = data[2:] {
		sum += uint32(binary.BigEndian.Uint16(data))
	}
	if len(data) == 1 {
		sum += uint32(data[0]) << 8
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
