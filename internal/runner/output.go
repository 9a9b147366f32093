package runner

import (
	"fmt"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/remote"
)

// inlineBytes is how much of a stream an event holds. A hundred screens are
// enough for a reader; the file has the rest.
const inlineBytes = 64 << 10

// record puts what an attempt printed into its event, and into files.
func (r *run) record(e *journal.Event, s plan.Step, out remote.Output) error {
	e.Exit = out.Exit
	e.TimedOut, e.Held, e.Dropped = out.TimedOut, out.Held, out.Dropped
	var left int64
	e.Stdout, left = elide(plan.Escape(string(out.Stdout)))
	e.Elided = left
	e.Stderr, left = elide(plan.Escape(string(out.Stderr)))
	e.Elided += left
	if r.Keep == nil {
		return nil
	}
	for _, stream := range []struct {
		name    string
		content []byte
		file    *string
	}{{"stdout", out.Stdout, &e.StdoutFile}, {"stderr", out.Stderr, &e.StderrFile}} {
		if len(stream.content) == 0 {
			continue
		}
		file, err := r.Keep(
			Stream{Step: s.ID, Node: e.Node, Attempt: e.Attempt, Name: stream.name},
			[]byte(r.Mask.Text(string(stream.content))),
		)
		if err != nil {
			return fmt.Errorf("keeping %s of step %q: %w", stream.name, s.ID, err)
		}
		*stream.file = file
	}
	return nil
}

// elide leaves out the middle of a long text, at line ends where there are any.
func elide(text string) (string, int64) {
	if len(text) <= inlineBytes {
		return text, 0
	}
	head, tail := text[:inlineBytes/2], text[len(text)-inlineBytes/2:]
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i+1 < len(tail) {
		tail = tail[i+1:]
	}
	head, tail = strings.ToValidUTF8(head, ""), strings.ToValidUTF8(tail, "")
	left := len(text) - len(head) - len(tail)
	return fmt.Sprintf("%s… %d bytes left out …\n%s", head, left, tail), int64(left)
}
