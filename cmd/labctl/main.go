// Command labctl makes networking write-ups run: it brings up a pair of virtual
// machines with Kubernetes, runs a lab on it, and proves that the pair is as it
// was before.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
	ctx, stop := interruptible(a.last.say)
	defer stop()
	os.Exit(a.run(ctx, os.Args[1:]))
}

// interruptedBy is the cause of a context that a signal ended.
type interruptedBy struct{ signal syscall.Signal }

func (e interruptedBy) Error() string { return fmt.Sprintf("interrupted (%s)", e.signal) }

// SignalOf is what a lab's run asks its context for.
func (e interruptedBy) SignalOf() syscall.Signal { return e.signal }

// interruptible returns a context that the first INT, TERM or HUP ends; the
// second ends the process, after its last words.
func interruptible(last func()) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		first := <-signals
		fmt.Fprintln(os.Stderr, "labctl: ending; once more to leave at once")
		cancel(interruptedBy{first.(syscall.Signal)})
		second := <-signals
		fmt.Fprintln(os.Stderr, "labctl: left as it is; `labctl up` goes on from here, `labctl teardown` pays what a lab owes, `labctl down` removes everything")
		last()
		os.Exit(128 + int(second.(syscall.Signal)))
	}()
	return ctx, func() { cancel(nil) }
}
