package libvirt

import (
	"encoding/binary"
	"io"
	"net"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// wire is a packet as the daemon sends it.
func wire(kind uint32, serial int32, payload string) []byte {
	p := binary.BigEndian.AppendUint32(nil, uint32(packetHeader+len(payload)))
	for _, word := range []uint32{0x20008086, 1, 209, kind, uint32(serial), 0} {
		p = binary.BigEndian.AppendUint32(p, word)
	}
	return append(p, payload...)
}

func TestEarlyDataWaitsForItsReply(t *testing.T) {
	const message = 2
	reply, first, last := wire(typeReply, 7, "ok"), wire(typeStream, 7, "data"), wire(typeStream, 7, "")
	event, other := wire(message, 0, "event"), wire(typeReply, 8, "other")
	for name, c := range map[string]struct{ sent, read [][]byte }{
		"in order":            {[][]byte{reply, first, last}, [][]byte{reply, first, last}},
		"data first":          {[][]byte{first, reply, last}, [][]byte{reply, first, last}},
		"all data first":      {[][]byte{first, last, reply}, [][]byte{reply, first, last}},
		"others do not wait":  {[][]byte{first, event, other, reply, last}, [][]byte{event, other, reply, first, last}},
		"another call's data": {[][]byte{other, first, reply}, [][]byte{other, reply, first}},
	} {
		t.Run(name, func(t *testing.T) {
			here, there := net.Pipe()
			defer here.Close()
			go func() {
				defer there.Close()
				_, _ = there.Write(slices.Concat(c.sent...))
			}()
			got, err := io.ReadAll(newOrderedConn(here))
			require.NoError(t, err)
			require.Equal(t, slices.Concat(c.read...), got)
		})
	}
}

func TestAPacketOfNoSenseEndsTheConnection(t *testing.T) {
	for name, sent := range map[string][]byte{
		"too short": {0, 0, 0, 5, 1},
		"too long":  {0xff, 0xff, 0xff, 0xff},
	} {
		here, there := net.Pipe()
		go func() {
			_, _ = there.Write(sent)
			there.Close()
		}()
		_, err := io.ReadAll(newOrderedConn(here))
		require.ErrorContains(t, err, "none of libvirt's", name)
		here.Close()
	}
}
