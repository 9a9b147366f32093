package runner

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"time"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/remote"
)

// Background steps: a script runs on while later steps do their work, on one
// node or on several at once, until a step stops it. What it printed is judged
// then.

// stopMark names a background script to the script that ends it. Its name
// begins with LC_ because sudo lets such variables through.
const stopMark = "LC_LABCTL_BACKGROUND"

//go:embed stop.sh
var stopScript string

// stopWait is how long a background script may take to end after it was asked.
const stopWait = 10 * time.Second

// background is one script on one node.
type background struct {
	node  string
	step  plan.Step
	start time.Time
	// says is what the script prints when it is ready; nil if nothing is awaited.
	says *plan.Pattern
	// cancel kills the script and all it started.
	cancel context.CancelFunc
	// done is closed when out and err are final.
	done chan struct{}
	out  remote.Output
	err  error

	mu      sync.Mutex
	printed []byte
	grown   chan struct{}
}

// start starts a step on its nodes and waits until each says that it is ready.
func (r *run) start(ctx context.Context, s plan.Step, o *outcome) {
	o.verdict = plan.Pass
	for _, b := range r.background[s.ID] {
		r.end(ctx, b) // it is run again
	}
	var started []*background
	for _, node := range r.Nodes(s) {
		b, err := r.launch(ctx, s, node)
		if err != nil {
			o.fail(plan.Error, fmt.Errorf("running step %q on node %q: %w", s.ID, node, err))
			continue
		}
		started = append(started, b)
	}
	r.background[s.ID] = started
	limited, cancel := r.limit(ctx, s.Timeout)
	defer cancel()
	for _, b := range started {
		if err := b.await(limited); err != nil {
			o.fail(plan.Error, fmt.Errorf("starting step %q on node %q: %w", s.ID, b.node, err))
		}
	}
}

// launch starts the script on one node. It lives beyond the step, and ends with
// the plan at the latest.
func (r *run) launch(ctx context.Context, s plan.Step, node string) (*background, error) {
	var says *plan.Pattern
	if ready := s.Background.Ready; ready != nil {
		with, err := ready.With(r.Sees(s))
		if err != nil {
			return nil, err
		}
		says = &with
	}
	conn, err := r.Conn(ctx, node)
	if err != nil {
		return nil, &dialError{err}
	}
	long, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b := &background{node: node, step: s, says: says, start: r.clock.Now(), cancel: cancel, done: make(chan struct{}), grown: make(chan struct{}, 1)}
	env := maps.Clone(r.Sees(s))
	env[stopMark] = b.mark()
	go func() {
		defer close(b.done)
		b.out, b.err = conn.Run(long, remote.Command{
			Script: s.Run, Env: env, Root: s.Root, Stdout: b.print, Stderr: b.print,
		})
	}()
	return b, nil
}

func (b *background) mark() string {
	return b.step.ID + "." + strconv.FormatInt(b.start.UnixNano(), 36)
}

// maxPrinted is how much of its output a step is asked for the word that says
// that it is ready.
const maxPrinted = 64 << 10

func (b *background) print(p []byte) {
	b.mu.Lock()
	if len(b.printed) < maxPrinted {
		b.printed = append(b.printed, p...)
	}
	b.mu.Unlock()
	select {
	case b.grown <- struct{}{}:
	default:
	}
}

func (b *background) ready() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.says.MatchString(plan.Normalise(string(b.printed)))
}

// await returns when the script says that it is ready.
func (b *background) await(ctx context.Context) error {
	if b.says == nil {
		return nil
	}
	for !b.ready() {
		select {
		case <-b.grown:
		case <-b.done:
			if b.ready() {
				return nil
			}
			if b.err != nil {
				return b.err
			}
			return fmt.Errorf("it ended before it was ready (exit code %d): %q", b.out.Exit, plan.Normalise(string(b.printed)))
		case <-ctx.Done():
			return fmt.Errorf("waiting for /%s/: %w", b.says.Expression(), context.Cause(ctx))
		}
	}
	return nil
}

// stop ends a background step on all its nodes and judges what it printed.
func (r *run) stop(ctx context.Context, s plan.Step, o *outcome) {
	running := r.background[s.Stop]
	delete(r.background, s.Stop)
	if len(running) == 0 {
		o.fail(plan.Error, fmt.Errorf("stopping step %q: it does not run", s.Stop))
		return
	}
	nodes := make([]string, len(running))
	results := make([]attempt, len(running))
	var wg sync.WaitGroup
	for i, b := range running {
		nodes[i] = b.node
		wg.Go(func() { results[i] = r.collect(ctx, s, b) })
	}
	wg.Wait()
	r.merge(s, nodes, results, o)
}

// collect asks the script to end, kills it if it does not, and judges.
func (r *run) collect(ctx context.Context, s plan.Step, b *background) attempt {
	r.end(ctx, b)
	event := journal.Event{Type: journal.StepOutput, Node: b.node, Attempt: 1, Script: b.step.Run}
	a := attempt{}
	// The script was asked to end: however it did, that is not what is judged.
	if b.err != nil && !errors.Is(b.err, context.Canceled) {
		a.Verdict, a.err = plan.Error, b.err
	} else {
		a.Outcome = s.Judge(b.node, b.out, r.Sees(s))
	}
	r.close(&a, &event, s, b.out, b.start)
	return a
}

// end asks with an interrupt, as a person would, and then insists.
func (r *run) end(ctx context.Context, b *background) {
	defer func() {
		b.cancel()
		<-b.done
	}()
	select {
	case <-b.done:
		return
	default:
	}
	conn, err := r.Conn(ctx, b.node)
	if err != nil {
		return
	}
	_, err = conn.Run(ctx, remote.Command{
		Script: stopScript, Root: true, Timeout: r.scaled(stopWait),
		Env: map[string]string{"mark": stopMark + "=" + b.mark()},
	})
	if err != nil {
		return
	}
	waited, stop := context.WithCancel(ctx)
	go func() {
		defer stop()
		_ = r.clock.Wait(waited, r.scaled(stopWait)) // whatever ended it, the wait is over
	}()
	select {
	case <-b.done:
	case <-waited.Done():
	}
	stop()
}

// killAll ends what no step has stopped.
func (r *run) killAll() {
	for _, running := range r.background {
		for _, b := range running {
			b.cancel()
		}
	}
	for _, running := range r.background {
		for _, b := range running {
			<-b.done
		}
	}
}
