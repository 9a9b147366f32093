package remote

import "bytes"

// Keeper is a writer that holds at most MaxOutput bytes of a stream, however
// long it is: the first half and the last half. What lay between is counted.
// Where bytes were dropped the halves meet at a line break if they have one,
// so that no line is made of two. The zero value is ready.
type Keeper struct {
	head []byte
	tail []byte // a ring once it is full
	next int    // where the ring is written next
	seen int64
}

const half = MaxOutput / 2

// Write never fails and never keeps p.
func (k *Keeper) Write(p []byte) (int, error) {
	n := len(p)
	k.seen += int64(n)
	if room := half - len(k.head); room > 0 {
		room = min(room, len(p))
		k.head = append(k.head, p[:room]...)
		p = p[room:]
	}
	if len(p) > half {
		p = p[len(p)-half:]
	}
	if room := half - len(k.tail); room > 0 {
		room = min(room, len(p))
		k.tail = append(k.tail, p[:room]...)
		p = p[room:]
	}
	for len(p) > 0 {
		c := copy(k.tail[k.next:], p)
		k.next = (k.next + c) % half
		p = p[c:]
	}
	return n, nil
}

// Bytes returns what was kept and how many bytes were dropped.
func (k *Keeper) Bytes() (kept []byte, dropped int64) {
	head, tail := k.head, k.tail
	if k.next > 0 {
		tail = append(append([]byte(nil), tail[k.next:]...), tail[:k.next]...)
	}
	if k.seen > int64(len(head)+len(tail)) {
		if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
			head = head[:i+1]
		}
		if i := bytes.IndexByte(tail, '\n'); i >= 0 {
			tail = tail[i+1:]
		}
	}
	kept = append(append([]byte(nil), head...), tail...)
	return kept, k.seen - int64(len(kept))
}
