package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// parallelFlag adds --parallel to what is done to several seats.
func parallelFlag(cmd *cobra.Command, parallel *int, unless string) {
	cmd.Flags().IntVar(parallel, "parallel", 0, "how many seats at once (default: "+unless+")")
}

// checkParallel refuses what cannot be.
func checkParallel(parallel int) error {
	if parallel < 0 {
		return usagef("--parallel 2, say", "reading --parallel %d", parallel)
	}
	return nil
}

// onAllSeats is eachSeat of all that there are.
func (a *app) onAllSeats(ctx context.Context, m meant, do func(context.Context, *app, string) error) error {
	seats, err := a.seatsThere()
	if err != nil {
		return err
	}
	if code := worst(a.eachSeat(ctx, seats, m.parallel, do)); code != exitOK {
		return exitCode(code)
	}
	return nil
}

// worst is the worst of several exit codes.
func worst(codes []int) int {
	code := exitOK
	for _, c := range codes {
		code = worse(code, c)
	}
	return code
}

// eachSeat does something to seats, so many at once, each with an app of its own
// whose lines begin with the seat's name. One that fails stops no other; after an
// interrupt no more are begun. Without a number it is one for each CPU at once:
// most of what is done is waiting. It returns the exit codes.
func (a *app) eachSeat(ctx context.Context, seats []int, parallel int, do func(context.Context, *app, string) error) []int {
	if parallel == 0 {
		parallel = runtime.NumCPU()
	}
	var (
		mu    sync.Mutex // of both streams: on a terminal they are one
		wg    sync.WaitGroup
		slots = make(chan struct{}, parallel)
		apps  []*app
		codes = make([]int, len(seats))
		width int
		left  []string
	)
	for _, seat := range seats {
		width = max(width, len(seatName(seat)))
	}
	for _, seat := range seats {
		prefix := seatName(seat) + strings.Repeat(" ", width-len(seatName(seat))) + " | "
		apps = append(apps, &app{
			stdin: strings.NewReader(""), getenv: a.getenv,
			stdout: &prefixed{mu: &mu, to: a.stdout, prefix: prefix},
			stderr: &prefixed{mu: &mu, to: a.stderr, prefix: prefix},
		})
	}
	a.last.set(func() {
		for _, sub := range apps {
			sub.last.say()
		}
	})
	defer a.last.set(nil)
	for i, seat := range seats {
		slots <- struct{}{}
		if ctx.Err() != nil {
			left = append(left, seatName(seat))
			<-slots
			continue
		}
		wg.Go(func() {
			defer func() { <-slots }()
			sub := apps[i]
			codes[i] = sub.conclude(ctx, do(ctx, sub, seatName(seat)))
			sub.stdout.(*prefixed).end()
			sub.stderr.(*prefixed).end()
		})
	}
	wg.Wait()
	if len(left) > 0 {
		fmt.Fprintf(a.stderr, "not begun: %s\n", strings.Join(left, ", "))
		codes = append(codes, a.conclude(ctx, context.Cause(ctx)))
	}
	return codes
}

// prefixed writes whole lines, each with words before it, so that those of
// several writers to one place do not mix.
type prefixed struct {
	mu     *sync.Mutex // of the place
	to     io.Writer
	prefix string
	begun  []byte // a line that has no end yet
}

func (p *prefixed) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun = append(p.begun, text...)
	end := bytes.LastIndexByte(p.begun, '\n') + 1
	if end == 0 {
		return len(text), nil
	}
	var lines []byte
	for line := range bytes.Lines(p.begun[:end]) {
		lines = append(append(lines, p.prefix...), line...)
	}
	p.begun = append([]byte(nil), p.begun[end:]...)
	_, err := p.to.Write(lines)
	return len(text), err
}

// end writes a last line that had no end.
func (p *prefixed) end() {
	if len(p.begun) > 0 {
		_, _ = p.Write([]byte("\n")) // of a terminal that is gone nobody reads
	}
}
