package sample_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/remote"
	"labctl/internal/remote/memory"
	"labctl/internal/sample"
)

// answering is a node that prints these at one look after another, the last for ever.
func answering(all ...memory.Answer) *memory.Conn {
	conn := memory.New()
	n := 0
	conn.When(func(remote.Command) bool { return true }, func(remote.Command) memory.Answer {
		a := all[min(n, len(all)-1)]
		n++
		return a
	})
	return conn
}

func says(text string) memory.Answer {
	return memory.Answer{Output: remote.Output{Stdout: []byte(text)}, After: time.Second}
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		conn := answering(says("== rules\n*nat\n-A a\n"), says("== rules\n*nat\n-A b\n== connections\nx\n"), memory.Answer{Err: remote.ErrLost}, says(""))
		dialled := 0
		told := make(chan sample.Node, 10)
		began := time.Now()
		ended := make(chan bool)
		w := sample.Watcher{
			Every: 10 * time.Second, Limit: time.Minute,
			Dial: func(context.Context, string) (remote.Conn, error) {
				if dialled++; dialled == 2 {
					return nil, errors.New("no route")
				}
				return unclosed{conn}, nil
			},
			Told: func(n sample.Node) { told <- n },
		}
		go func() {
			w.Watch(ctx, []string{"cp"})
			close(ended)
		}()
		first := <-told
		assert.Equal(t, time.Second, time.Since(began))
		assert.Equal(t, []sample.Line{{Text: "nat -A a"}}, first.Rules.Lines)
		second := <-told
		assert.Equal(t, 12*time.Second, time.Since(began))
		assert.Equal(t, []sample.Line{{Text: "nat -A a", Gone: true}, {Text: "nat -A b", New: true}}, second.Rules.Lines)
		assert.Equal(t, 1, second.Rules.Total)
		assert.Equal(t, []sample.Line{{Text: "x", New: true}}, second.Conns.Lines)
		third := <-told
		assert.Contains(t, third.Trouble, `looking at "cp": `)
		assert.Equal(t, second.Rules, third.Rules, "the last that was seen")
		fourth := <-told
		assert.Equal(t, 62*time.Second, time.Since(began).Round(time.Second), "it is left alone for a while")
		assert.Contains(t, fourth.Trouble, "no route")
		fifth := <-told
		assert.Empty(t, fifth.Trouble)
		assert.Equal(t, 3, dialled)
		cancel()
		<-ended
		require.Empty(t, told)
	})
}

// TestWatchIsCheap: a look that takes long makes the pauses longer.
func TestWatchIsCheap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		slow := says("")
		slow.After = 5 * time.Second
		looks := 0
		began := time.Now()
		w := sample.Watcher{
			Every: time.Second, Limit: time.Minute,
			Dial: func(context.Context, string) (remote.Conn, error) { return answering(slow), nil },
			Told: func(sample.Node) {
				if looks++; looks == 4 {
					cancel()
				}
			},
		}
		w.Watch(ctx, []string{"cp"})
		assert.Equal(t, 80*time.Second, time.Since(began).Round(time.Second))
	})
}

// unclosed stays usable after its owner has let it go.
type unclosed struct{ remote.Conn }

func (unclosed) Close() error { return nil }
