package private

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"
)

// The header of libvirt's RPC: seven big-endian words, the first of which is
// the packet's length in bytes (libvirt, "RPC infrastructure").
const (
	rpcHeader       = 28
	rpcProgram      = 0x20008086 // the remote driver's program
	rpcVersion      = 1
	rpcProcAuthList = 66 // which authentication do you want? Needs no connection
	rpcCall         = 0
	rpcReply        = 1
)

// callLimit is how long one such call may take; a daemon that is up answers in
// under a millisecond.
const callLimit = time.Second

// answers makes the smallest call there is. A socket that accepts proves
// nothing: the kernel does that for a daemon that is still starting or stopped.
func answers(ctx context.Context, socket string) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	call := make([]byte, 0, rpcHeader)
	for _, word := range []uint32{rpcHeader, rpcProgram, rpcVersion, rpcProcAuthList, rpcCall, 1, 0} {
		call = binary.BigEndian.AppendUint32(call, word)
	}
	if _, err := conn.Write(call); err != nil {
		return err
	}
	reply := make([]byte, rpcHeader)
	if _, err := io.ReadFull(conn, reply); err != nil {
		return err
	}
	if program, kind := binary.BigEndian.Uint32(reply[4:]), binary.BigEndian.Uint32(reply[16:]); program != rpcProgram || kind != rpcReply {
		return fmt.Errorf("asking libvirtd: program %#x sent a packet of type %d", program, kind)
	}
	// A socket closed on unread data is a reset, which the daemon would log.
	rest := int64(binary.BigEndian.Uint32(reply)) - rpcHeader
	_, err = io.CopyN(io.Discard, conn, min(rest, rpcHeader))
	return err
}
