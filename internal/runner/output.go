package runner

import (
	"fmt"

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
	var left [2]int
	e.Stdout, left[0] = plan.Elide(plan.Escape(string(out.Stdout)), inlineBytes)
	e.Stderr, left[1] = plan.Elide(plan.Escape(string(out.Stderr)), inlineBytes)
	e.Elided = int64(left[0] + left[1])
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
