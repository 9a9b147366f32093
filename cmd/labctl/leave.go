package main

import (
	"errors"
	"path/filepath"
	"sync"
	"time"

	"labctl/internal/journal"
	"labctl/internal/report"
)

// leaveLimit is how long the last words may take after a second signal.
const leaveLimit = 5 * time.Second

// lastWords is what is still done when a second signal ends the process at once: a
// run's reports. What pays for an earlier run has none.
// The zero value does nothing.
type lastWords struct {
	mu sync.Mutex
	do func()
}

func (l *lastWords) set(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.do = do
}

func (l *lastWords) say() {
	l.mu.Lock()
	do := l.do
	l.mu.Unlock()
	if do == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(leaveLimit):
	}
}

// reportAnyway writes the reports of a run that is left in the middle, from its
// journal up to there: into its folder, and into another one if there is one.
func reportAnyway(folder, other string) error {
	f, err := journal.OpenFolder(folder)
	if err != nil {
		return err
	}
	events, err := f.Events()
	if err != nil {
		return err
	}
	result := journal.Fold(events)
	err = report.Write(f.Path, result)
	if other != "" {
		err = errors.Join(err, report.Write(other, result))
	}
	return err
}

// listen is a run's listener that knows what to do if the process is left in the
// middle.
func (a *app) listen(show journal.Listener, o *runOptions) journal.Listener {
	return func(e journal.Event) {
		show(e)
		if e.Type != journal.RunStarted || e.Run == nil {
			return
		}
		runs, err := a.runsDir()
		if err != nil {
			return // it was asked for before the run began
		}
		folder, other := filepath.Join(runs, e.Run.ID), ""
		if o.report != "" {
			other = o.reportDir(e.Run.Lab)
		}
		a.last.set(func() {
			if err := reportAnyway(folder, other); err != nil {
				a.printError(err)
			}
		})
	}
}
