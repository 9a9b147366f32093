//go:build linux

package main

import (
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Packets that Linux 6.18 sent over a veth pair without checksum offload, and that
// tcpdump called correct. The second payload has an odd length.
var known = map[string]string{
	"SYN with options": "4500003ce853400040063c760af400050af400069c0e23288871286000000000a002faf0aa9e0000020405b40402080a043e1835000000000103030a",
	"SYN and ACK":      "4500003c00004000400624ca0af400060af4000523289c0e85ad1a7588712861a012fe88e2820000020405b40402080a228401cc043e18350103030a",
	"even payload":     "4500003eccd34000400657f40af400060af4000523289c0e85ad1a768871286180180040" + "46b700000101080a228401cc043e183568656c6c6f2c206f6464",
	"odd payload":      "45000035e856400040063c7a0af400050af400069c0e23288871286185ad1a808018003f978800000101080a043e1835228401cc78",
}

func packet(t *testing.T, name string) []byte {
	b, err := hex.DecodeString(known[name])
	require.NoError(t, err)
	return b
}

func TestChecksumOfKnownPackets(t *testing.T) {
	for name := range known {
		t.Run(name, func(t *testing.T) {
			b := packet(t, name)
			s, err := parse(b)
			require.NoError(t, err)
			tcp := b[20:]
			assert.Zero(t, s.checksum(tcp), "with its own checksum in it, the sum of a right segment is nothing")
			want := uint16(tcp[16])<<8 | uint16(tcp[17])
			tcp[16], tcp[17] = 0, 0
			assert.Equal(t, want, s.checksum(tcp))
			tcp[4] ^= 1
			assert.NotEqual(t, want, s.checksum(tcp))
		})
	}
}

// The example of RFC 1071, section 3.
func TestInternetChecksum(t *testing.T) {
	assert.Equal(t, ^uint16(0xddf2), internet([]byte{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7}))
	assert.Equal(t, uint16(0xffff), internet(nil))
	assert.Equal(t, ^uint16(0x0100), internet([]byte{1}), "an odd byte is the upper half of a word")
	assert.Equal(t, uint16(0), internet([]byte{0xff, 0xff, 0xff, 0xff}), "the carry is carried")
}

func TestParse(t *testing.T) {
	s, err := parse(packet(t, "even payload"))
	require.NoError(t, err)
	assert.Equal(t, segment{
		source: netip.MustParseAddrPort("10.244.0.6:9000"), destination: netip.MustParseAddrPort("10.244.0.5:39950"),
		seq: 2242714230, ack: 2289117281, flags: flagPSH | flagACK, window: 64, payload: []byte("hello, odd"),
	}, s)
	s, err = parse(packet(t, "SYN with options"))
	require.NoError(t, err)
	assert.Equal(t, uint8(flagSYN), s.flags)
	assert.Empty(t, s.payload)
	s, err = parse(append(packet(t, "odd payload"), 0, 0, 0))
	require.NoError(t, err)
	assert.Equal(t, "x", string(s.payload), "padding of the link is no payload")
}

func TestParseRefuses(t *testing.T) {
	whole := packet(t, "SYN with options")
	with := func(at int, b byte) []byte {
		c := append([]byte(nil), whole...)
		c[at] = b
		return c
	}
	for name, b := range map[string][]byte{
		"nothing":                       nil,
		"half an IP header":             whole[:19],
		"half a TCP header":             whole[:39],
		"IPv6":                          with(0, 0x65),
		"UDP":                           with(9, 17),
		"an IP header too short":        with(0, 0x44),
		"an IP header beyond its end":   with(0, 0x4f)[:50],
		"a later fragment":              with(7, 1),
		"a TCP header too short":        with(32, 0x40),
		"a TCP header beyond its end":   with(32, 0xf0)[:50],
		"a total length below a header": with(3, 21),
	} {
		_, err := parse(b)
		assert.ErrorIs(t, err, errNoSegment, name)
	}
}

// What is sent is what is meant.
func TestBytesParseAgain(t *testing.T) {
	s := segment{
		source: netip.MustParseAddrPort("192.0.2.1:9000"), destination: netip.MustParseAddrPort("198.51.100.255:65535"),
		seq: 1<<32 - 1, ack: 7, flags: flagPSH | flagACK, window: 502, payload: []byte(strings.Repeat("odd", 5)),
	}
	tcp := s.bytes()
	assert.Zero(t, s.checksum(tcp))
	header := append([]byte{0x45, 0, 0, byte(20 + len(tcp)), 0, 0, 0, 0, 64, protocolTCP, 0, 0}, 192, 0, 2, 1, 198, 51, 100, 255)
	got, err := parse(append(header, tcp...))
	require.NoError(t, err)
	assert.Equal(t, s, got)
}
