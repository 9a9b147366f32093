package remote_test

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"labctl/internal/remote"
)

func TestKeeperKeepsAllThatFits(t *testing.T) {
	for _, size := range []int{0, 1, remote.MaxOutput / 2, remote.MaxOutput/2 + 1, remote.MaxOutput - 1, remote.MaxOutput} {
		stream := numbered(size)
		for _, chunk := range []int{1 << 10, 99_991, size + 1} {
			kept, dropped := keep(stream, chunk)
			assert.Zero(t, dropped)
			assert.True(t, bytes.Equal(stream, kept), "%d bytes by %d", size, chunk)
		}
	}
}

func TestKeeperKeepsBothEnds(t *testing.T) {
	for _, size := range []int{remote.MaxOutput + 1, remote.MaxOutput + 12345, 3*remote.MaxOutput/2 + 7, 3 * remote.MaxOutput} {
		stream := numbered(size)
		for _, chunk := range []int{1 << 10, 99_991, size} {
			kept, dropped := keep(stream, chunk)
			what := fmt.Sprintf("%d bytes by %d", size, chunk)
			assert.LessOrEqual(t, len(kept), remote.MaxOutput, what)
			assert.Greater(t, len(kept), remote.MaxOutput-2*8, what)
			assert.Equal(t, size, len(kept)+int(dropped), what)
			cut := 0 // the length of the head
			for cut < len(kept) && kept[cut] == stream[cut] {
				cut++
			}
			cut -= cut % 8 // the number after the cut may begin as the one before it did
			assert.True(t, bytes.HasSuffix(stream, kept[cut:]), "%s: the ends are not the stream's", what)
			assert.Greater(t, cut, remote.MaxOutput/2-8, what)
			assert.Equal(t, byte('\n'), kept[cut-1], "%s: a line is made of two", what)
		}
	}
}

func TestKeeperWithoutLines(t *testing.T) {
	kept, dropped := keep(bytes.Repeat([]byte("x"), remote.MaxOutput+5), 1000)
	assert.Len(t, kept, remote.MaxOutput)
	assert.Equal(t, int64(5), dropped)
}

func keep(stream []byte, chunk int) ([]byte, int64) {
	var k remote.Keeper
	for len(stream) > 0 {
		n, err := k.Write(stream[:min(chunk, len(stream))])
		if err != nil {
			panic(err)
		}
		stream = stream[n:]
	}
	return k.Bytes()
}

// numbered is lines of 8 bytes, the last one in part.
func numbered(size int) []byte {
	b := make([]byte, 0, size+8)
	for i := 1e6; len(b) < size; i++ {
		b = append(strconv.AppendInt(b, int64(i), 10), '\n')
	}
	return b[:size]
}
