package live

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// alive is how often a stream says that it is still there when there is no news: else
// neither side would learn that the other has gone.
const alive = 15 * time.Second

// pace is the least time between two pieces of news: a run of hundreds of steps that
// are over at once is not drawn hundreds of times.
const pace = 100 * time.Millisecond

// events tells a browser what is new on the board, as server-sent events. Each has the
// number of its newest change as its id; the browser names the last that it has got
// when it comes back, and gets what is newer.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	at := s.resume(r.Header.Get("Last-Event-ID"))
	beats := time.NewTicker(alive)
	defer beats.Stop()
	for {
		n := s.page.board.since(at)
		at = n.last
		if len(n.parts) > 0 {
			content, err := json.Marshal(n.parts)
			if err != nil {
				return // texts always can be encoded
			}
			fmt.Fprintf(w, "id: %s-%d\ndata: %s\n\n", s.boot, at, content)
		}
		if n.ended {
			fmt.Fprint(w, "event: bye\ndata: -\n\n")
		}
		if err := out.Flush(); err != nil || n.ended {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-n.more:
			rest := time.NewTimer(pace)
			select {
			case <-r.Context().Done():
				rest.Stop()
				return
			case <-rest.C:
			}
		case <-beats.C:
			fmt.Fprint(w, ": still here\n\n")
		}
	}
}

// resume is the change that a browser has seen last; 0 if it has seen nothing of this
// server's.
func (s *Server) resume(id string) int {
	boot, change, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(change)
	if err != nil || boot != s.boot {
		return 0
	}
	return n
}
