package labrun

import (
	"errors"
	"fmt"
	"sync"

	"labctl/internal/journal"
	"labctl/internal/runner"
)

// record writes a run down while it happens.
type record struct {
	folder *journal.Folder
	file   *journal.File
	mask   *journal.Mask
	listen journal.Listener

	mu     sync.Mutex
	phase  journal.Phase
	events []journal.Event
	err    error // the first thing that could not be written
}

func (r *Runner) open(folder *journal.Folder, mask *journal.Mask, before []journal.Event) (*record, error) {
	file, err := folder.Journal()
	if err != nil {
		return nil, err
	}
	return &record{folder: folder, file: file, mask: mask, listen: r.Listen, events: before}, nil
}

// event appends an event and tells it on. A journal that cannot be written does
// not stop a run in the middle: the cluster must be put back all the same. The
// run's own verdict says so in the end.
func (rec *record) event(e journal.Event) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if e.Phase == "" && e.Plan != "" {
		e.Phase = rec.phase
	}
	rec.events = append(rec.events, e)
	if err := rec.file.Append(e); err != nil && rec.err == nil {
		rec.err = err
	}
	if rec.listen != nil {
		rec.listen(e)
	}
}

// tell says what is going on, and is no part of the record.
func (rec *record) tell(e journal.Event) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.listen != nil {
		rec.listen(e)
	}
}

func (rec *record) enter(p journal.Phase) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.phase = p
}

func (rec *record) keep(s runner.Stream, content []byte) (string, error) {
	rec.mu.Lock()
	phase := rec.phase
	rec.mu.Unlock()
	return rec.folder.KeepRaw(fmt.Sprintf("%s.%s.%s.%d.%s", phase, s.Step, s.Node, s.Attempt, s.Name), content)
}

func (rec *record) result() journal.Result {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return journal.Fold(rec.events)
}

func (rec *record) close() error {
	return errors.Join(rec.err, rec.file.Close())
}
