package runner

import (
	"context"
	"sync"

	"labctl/internal/plan"
	"labctl/internal/remote"
)

// Ran is what one command on one node came to.
type Ran struct {
	remote.Output
	Err error
}

// Once runs a step's script once on each of its nodes, all at once, without
// judging it and without a word to the listener.
func (e *Engine) Once(ctx context.Context, s plan.Step) map[string]Ran {
	r := &run{Engine: e}
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		all = map[string]Ran{}
	)
	for _, node := range r.Nodes(s) {
		wg.Go(func() {
			out, err := r.command(ctx, s, node)
			mu.Lock()
			defer mu.Unlock()
			all[node] = Ran{out, err}
		})
	}
	wg.Wait()
	return all
}
