package private

import (
	"context"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listen opens a listener inside that greets with a word.
func listen(t *testing.T, d *Daemon, address, word string) {
	t.Helper()
	var l net.Listener
	require.NoError(t, onThread(func() error {
		if err := d.inside.enterNetwork(); err != nil {
			return err
		}
		var err error
		l, err = net.Listen("tcp", address)
		return err
	}))
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, word)
			conn.Close()
		}
	}()
}

func greeting(t *testing.T, d *Daemon, address string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	conn, err := d.Dial(ctx, "tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	word, err := io.ReadAll(conn)
	require.NoError(t, err)
	return string(word)
}

func TestDial(t *testing.T) {
	d := ensure(t, stateDir(t, "h"))
	own, err := os.Readlink("/proc/self/ns/net")
	require.NoError(t, err)
	listen(t, d, "127.0.0.1:7777", "inside")
	assert.Equal(t, "inside", greeting(t, d, "127.0.0.1:7777"))
	_, err = (&net.Dialer{}).DialContext(t.Context(), "tcp", "127.0.0.1:7777")
	assert.Error(t, err, "outside, nobody listens")

	// The runtime reuses threads; none may have stayed inside.
	for range 50 {
		done := make(chan string)
		go func() {
			ns, _ := os.Readlink("/proc/thread-self/ns/net")
			done <- ns
		}()
		require.Equal(t, own, <-done)
	}
	now, err := os.Readlink("/proc/self/ns/net")
	require.NoError(t, err)
	assert.Equal(t, own, now)
}

func TestDialRefusesNames(t *testing.T) {
	d := ensure(t, stateDir(t, "h"))
	_, err := d.Dial(t.Context(), "tcp", "localhost:22")
	assert.ErrorContains(t, err, `dialling "localhost:22" in the private namespace`)
}

func TestDialEndsWithItsContext(t *testing.T) {
	d := ensure(t, stateDir(t, "h"))
	virsh(t, d, "net-create", document(t, network))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := d.Dial(ctx, "tcp", "10.10.10.77:22")
	var timeout net.Error
	require.ErrorAs(t, err, &timeout)
	assert.True(t, timeout.Timeout(), "%v: the kernel would find no host after 3 s", err)
}
