package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/labrun"
	"labctl/internal/live"
)

// followEvery is how often a journal is looked at: for a reader that is at once.
const followEvery = 200 * time.Millisecond

// show is a live page with what feeds it.
type show struct {
	*app
	options serveOptions
	page    *live.Page
	// begun tells that a run has begun.
	begun bool

	// Both outlive the interrupt of a run: its teardown is shown, too.
	feeding context.Context
	sated   context.CancelFunc // no more is fed
	feeders sync.WaitGroup
	served  chan struct{} // closed when nobody is served any more
	leave   context.CancelFunc
}

// openShow serves a page that has nothing to show yet.
func (a *app) openShow(ctx context.Context, o serveOptions) (*show, error) {
	page, err := live.New()
	if err != nil {
		return nil, err
	}
	server, err := live.Listen(ctx, o.listen, page)
	if local := new(live.NotLocalError); errors.As(err, local) {
		return nil, usageError{err, local.Hint()}
	}
	if err != nil {
		return nil, err
	}
	s := &show{app: a, options: o, page: page, served: make(chan struct{})}
	s.feeding, s.sated = context.WithCancel(context.WithoutCancel(ctx))
	var serving context.Context
	serving, s.leave = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(s.served)
		if err := server.Serve(serving); err != nil {
			a.printError(err)
		}
	}()
	fmt.Fprintf(a.stderr, "the run is shown at %s\n", server.URL())
	return s, nil
}

// close shows the last that there is, and tells browsers that it was that.
func (s *show) close() {
	s.sated()
	s.feeders.Wait()
	s.leave()
	<-s.served
}

// run is what a lab's run on a place is told to, and what ends with the run.
func (s *show) run(l lab.Lab, p *place, listen journal.Listener) (journal.Listener, func()) {
	told := func(e journal.Event) {
		listen(e)
		if e.Type != journal.RunStarted || e.Run == nil || s.begun {
			return
		}
		s.begun = true
		runs, err := s.runsDir()
		if err != nil {
			return // it was asked for before the run began
		}
		folder, err := journal.OpenFolder(filepath.Join(runs, e.Run.ID))
		if err != nil {
			s.printError(err)
			return
		}
		_, broken := s.follow(folder)
		s.feeders.Go(func() {
			if err, ok := <-broken; ok {
				s.printError(err) // the run goes on
			}
		})
	}
	if err := s.page.Lab(l); err != nil {
		s.printError(err)
	}
	if s.options.every == 0 {
		return told, func() {}
	}
	return told, s.look(p.cluster)
}

// follow feeds the page with a run's journal. Over is closed when the run has ended;
// broken gets why it cannot be followed, and is closed when nothing more comes.
func (s *show) follow(folder *journal.Folder) (over <-chan struct{}, broken <-chan error) {
	if l, err := labrun.FrozenLab(folder); err == nil { // else the journal tells enough
		if err := s.page.Lab(l); err != nil {
			s.printError(err)
		}
	}
	s.page.Folder(folder)
	ended, wrong := make(chan struct{}), make(chan error, 1)
	var once sync.Once
	s.feeders.Go(func() {
		defer close(wrong)
		err := journal.Follow(s.feeding, folder.File(journal.JournalFile), followEvery, func(added []journal.Event) error {
			if err := s.page.Events(added); err != nil {
				return err
			}
			for _, e := range added {
				if e.Type == journal.RunDone {
					once.Do(func() { close(ended) })
				}
			}
			return nil
		})
		if err != nil {
			wrong <- err
		}
	})
	return ended, wrong
}

// undisclosed refuses a drill that is not over: its steps would tell the cause.
func undisclosed(events []journal.Event) error {
	r := journal.Fold(events)
	if r.Run.Drill == nil || r.Complete {
		return nil
	}
	return drillNotOverError{r.Run.ID}
}

type drillNotOverError struct{ run string }

func (e drillNotOverError) Error() string {
	return fmt.Sprintf("following run %q: it is a drill that is not over, and its steps would tell the cause", e.run)
}
func (e drillNotOverError) Hint() string { return "follow it when it has ended" }
