package live

import "sync"

// board has the parts of the page as they are now, each with the number of the change
// that made it so. Who has seen everything up to a number needs only the parts that
// have a higher one: nothing is lost by who comes late or comes back, and nothing
// grows with the length of a run.
type board struct {
	mu      sync.Mutex
	last    int // the newest change
	parts   map[string]part
	changed chan struct{} // closed by the next change
	ended   bool
}

type part struct {
	change int
	html   string
}

func newBoard() *board { return &board{parts: map[string]part{}, changed: make(chan struct{})} }

// put makes a part what it is now. What is the same as before is no change.
func (b *board) put(name, html string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if old, ok := b.parts[name]; ok && old.html == html || b.ended {
		return
	}
	b.last++
	b.parts[name] = part{b.last, html}
	b.tell()
}

// end lets no more changes in.
func (b *board) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		b.ended = true
		b.tell()
	}
}

func (b *board) tell() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// news is what has changed after a change, and what the newest is. Something else is
// there when more is closed; ended says that never will be.
type news struct {
	parts map[string]string
	last  int
	more  <-chan struct{}
	ended bool
}

func (b *board) since(change int) news {
	b.mu.Lock()
	defer b.mu.Unlock()
	if change > b.last || change < 0 {
		change = 0 // it never was
	}
	n := news{parts: map[string]string{}, last: b.last, more: b.changed, ended: b.ended}
	for name, p := range b.parts {
		if p.change > change {
			n.parts[name] = p.html
		}
	}
	return n
}
