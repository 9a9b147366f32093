//go:build linux

package main

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	here  = netip.MustParseAddrPort("10.244.1.4:9000")
	there = netip.MustParseAddrPort("10.244.0.5:40000")
	both  = ends{here, there}
)

func from(flags uint8, seq, ack uint32, payload string) segment {
	return segment{source: there, destination: here, flags: flags, seq: seq, ack: ack, payload: []byte(payload)}
}

func opened(t *testing.T) *tracker {
	t.Helper()
	tr := &tracker{ports: []int{9000}}
	tr.segment(from(flagSYN, 1000, 0, ""))
	tr.segment(from(flagACK, 1001, 5001, ""))
	tr.accepted(both, nil)
	return tr
}

func TestForge(t *testing.T) {
	tr := opened(t)
	s, err := tr.forge(both, defaultOffset)
	require.NoError(t, err)
	assert.Equal(t, here, s.source)
	assert.Equal(t, there, s.destination)
	assert.Equal(t, uint32(5001+defaultOffset), s.seq)
	assert.Equal(t, uint32(1001), s.ack, "what the client sent is acknowledged exactly")

	tr.segment(from(flagPSH|flagACK, 1001, 5011, "ping"))
	s, err = tr.forge(both, -100000)
	require.NoError(t, err)
	past := int64(5011 - 100000)
	assert.Equal(t, uint32(past), s.seq, "it goes round below nothing")
	assert.Equal(t, uint32(1005), s.ack)

	tr.segment(from(flagACK, 1001, 5001, ""))
	s, err = tr.forge(both, 0)
	require.NoError(t, err)
	assert.Equal(t, []uint32{5011, 1005}, []uint32{s.seq, s.ack}, "an old segment moves nothing back")

	assert.Zero(t, tr.summary().Injected, "it counts what was sent")
	tr.injected(both)
	tr.injected(both)
	assert.Equal(t, 2, tr.summary().Each[0].Injected)
	assert.Equal(t, 1, tr.summary().Injected)
}

func TestForgeNeedsAnOpenConnection(t *testing.T) {
	tr := &tracker{ports: []int{9000}}
	_, err := tr.forge(both, 1)
	require.ErrorIs(t, err, errNotOpen, "there is none")
	tr.segment(from(flagSYN, 1000, 0, ""))
	_, err = tr.forge(both, 1)
	require.ErrorIs(t, err, errNotOpen, "half a handshake")
	tr.accepted(both, nil)
	_, err = tr.forge(both, 1)
	require.ErrorIs(t, err, errNotOpen, "the socket is faster than its last ACK")
	tr.segment(from(flagACK, 1001, 5001, ""))
	_, err = tr.forge(both, 1)
	require.NoError(t, err)
	tr.ended(both, nil, stateReset)
	_, err = tr.forge(both, 1)
	require.ErrorIs(t, err, errNotOpen)
}

func TestResetsAreToldApart(t *testing.T) {
	tr := opened(t)
	for _, c := range []struct {
		seq  uint32
		want int64
	}{{1001, 0}, {1005, 4}, {1000, -1}} {
		is, hit := tr.segment(from(flagRST, c.seq, 0, ""))
		require.True(t, is)
		require.NotNil(t, hit)
		assert.Equal(t, c.want, hit.Offset)
	}
	other := from(flagRST, 1001, 0, "")
	other.source = netip.MustParseAddrPort("10.244.0.5:40001")
	is, hit := tr.segment(other)
	assert.True(t, is)
	assert.Nil(t, hit, "of no connection of ours")
	elsewhere := from(flagRST, 1001, 0, "")
	elsewhere.destination = netip.MustParseAddrPort("10.244.1.4:22")
	is, _ = tr.segment(elsewhere)
	assert.False(t, is)

	sum := tr.summary()
	assert.Equal(t, 1, sum.RST)
	assert.Equal(t, 1, sum.Stray)
	assert.Equal(t, int64(0), sum.Each[0].RST.Offset, "the first counts")
	assert.Equal(t, 1, sum.Open, "the kernel says when it is over")
	tr.ended(both, nil, stateReset)
	assert.Equal(t, 1, tr.summary().Reset)
}

func TestTheSamePortsAgainAreAnotherConnection(t *testing.T) {
	tr := opened(t)
	tr.ended(both, nil, stateClosed)
	tr.segment(from(flagSYN, 7000, 0, ""))
	tr.segment(from(flagACK, 7001, 9001, ""))
	tr.accepted(both, nil)
	s, err := tr.forge(both, 5)
	require.NoError(t, err)
	assert.Equal(t, uint32(9006), s.seq)
	assert.Equal(t, 1, tr.summary().Connections)
}

// The socket may be there before the segments of its handshake have been read.
func TestTheSocketMayBeFirst(t *testing.T) {
	tr := opened(t)
	for range 2 { // the second with the same ports, after the end of the first
		tr.ended(both, nil, stateClosed)
		tr.accepted(both, nil)
		tr.segment(from(flagSYN, 7000, 0, ""))
		tr.segment(from(flagACK, 7001, 9001, ""))
		s, err := tr.forge(both, 5)
		require.NoError(t, err)
		assert.Equal(t, uint32(9006), s.seq)
	}
	assert.Equal(t, 1, tr.summary().Connections)
}

// Even its end may be.
func TestTheSocketMayEndFirst(t *testing.T) {
	tr := &tracker{ports: []int{9000}}
	tr.accepted(both, nil)
	tr.ended(both, nil, stateReset)
	tr.segment(from(flagSYN, 7000, 0, ""))
	tr.segment(from(flagACK, 7001, 9001, ""))
	_, hit := tr.segment(from(flagRST, 7001, 0, ""))
	assert.Equal(t, &reset{Seq: 7001}, hit)
	assert.Equal(t, []int{1, 1}, []int{tr.summary().Connections, tr.summary().Reset})
}

func TestForget(t *testing.T) {
	tr := opened(t)
	tr.forget()
	assert.Equal(t, summary{Each: []connection{}}, tr.summary())
	tr.segment(from(flagACK, 1001, 5001, ""))
	assert.Empty(t, tr.open(), "the rest of a forgotten connection is none")
}
