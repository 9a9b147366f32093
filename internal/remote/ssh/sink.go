package ssh

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
)

// sink is one stream of a script on its way to who wants it. Its two streams
// share a lock, so that callers see one write at a time.
type sink struct {
	mu    *sync.Mutex
	count *atomic.Int64 // bytes of both streams
	word  []byte        // what begins the output; nil once it was seen
	noise []byte        // what came before, at most noiseMost bytes
	to    io.Writer
	shut  bool
}

const noiseMost = 64 << 10

func (s *sink) Write(p []byte) (int, error) {
	n := len(p)
	s.count.Add(int64(n))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return n, nil
	}
	if s.word != nil {
		s.noise = append(s.noise, p...)
		i := bytes.Index(s.noise, s.word)
		if i < 0 {
			if over := len(s.noise) - noiseMost; over > 0 {
				s.noise = append([]byte(nil), s.noise[over:]...)
			}
			return n, nil
		}
		p = s.noise[i+len(s.word):]
		s.word, s.noise = nil, nil
	}
	if len(p) > 0 {
		_, _ = s.to.Write(p)
	}
	return n, nil
}

// close makes the sink deaf. Nothing reaches its writer from then on.
func (s *sink) close() {
	s.mu.Lock()
	s.shut = true
	s.mu.Unlock()
}

// begun says whether the script's output began.
func (s *sink) begun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.word == nil
}

func (s *sink) before() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(bytes.TrimSpace(s.noise))
}

// both writes to a keeper and to who listens.
type both struct {
	io.Writer
	fn func([]byte)
}

func (b both) Write(p []byte) (int, error) {
	if b.fn != nil {
		b.fn(p)
	}
	return b.Writer.Write(p)
}
