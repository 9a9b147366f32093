package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func seatApp() (*app, *bytes.Buffer, *bytes.Buffer) {
	var out, talk bytes.Buffer
	return &app{stdout: &out, stderr: &talk, getenv: func(string) string { return "" }}, &out, &talk
}

// One that fails stops no other, and each line says whose it is.
func TestEachSeat(t *testing.T) {
	t.Parallel()
	a, out, talk := seatApp()
	codes := a.eachSeat(t.Context(), []int{2, 10, 11}, 1, func(_ context.Context, a *app, seat string) error {
		fmt.Fprintf(a.stdout, "one of %s\nhalf", seat)
		fmt.Fprint(a.stdout, " of two")
		switch seat {
		case "seat-2":
			return errors.New("climbing: it is high")
		case "seat-10":
			return exitCode(exitUnrestored)
		}
		fmt.Fprint(a.stderr, "\n\n")
		return nil
	})
	assert.Equal(t, []int{exitError, exitUnrestored, exitOK}, codes)
	assert.Equal(t, exitUnrestored, worst(codes))
	assert.Equal(t, ""+
		"seat-2  | one of seat-2\nseat-2  | half of two\n"+
		"seat-10 | one of seat-10\nseat-10 | half of two\n"+
		"seat-11 | one of seat-11\nseat-11 | half of two\n", out.String())
	assert.Equal(t, "seat-2  | error: climbing: it is high\nseat-11 | \nseat-11 | \n", talk.String())
}

// So many at once, and no more: those at work wait until the test has looked.
func TestEachSeatAtOnce(t *testing.T) {
	t.Parallel()
	for parallel, seats := range map[int]int{1: 3, 3: 9, 4: 4} {
		a, _, _ := seatApp()
		begun, gate := make(chan string, seats), make(chan struct{})
		ended := make(chan []int)
		go func() {
			ended <- a.eachSeat(t.Context(), firstSeats(seats), parallel, func(_ context.Context, _ *app, seat string) error {
				begun <- seat
				<-gate
				return nil
			})
		}()
		for range parallel {
			<-begun
		}
		select {
		case seat := <-begun:
			assert.Fail(t, "one too many", "%s of %d at once", seat, parallel)
		case <-time.After(100 * time.Millisecond):
		}
		close(gate)
		assert.Equal(t, make([]int, seats), <-ended)
	}
}

// After an interrupt those at work end as they do, and no more are begun.
func TestEachSeatInterrupted(t *testing.T) {
	t.Parallel()
	a, _, talk := seatApp()
	ctx, cancel := context.WithCancelCause(t.Context())
	codes := a.eachSeat(ctx, []int{1, 2, 3}, 1, func(ctx context.Context, _ *app, seat string) error {
		cancel(interruptedBy{syscall.SIGTERM})
		assert.Equal(t, "seat-1", seat)
		return nil // it was done all the same
	})
	assert.Equal(t, 143, worst(codes))
	assert.Contains(t, talk.String(), "not begun: seat-2, seat-3\n")
}

// A second signal is for all that are at work.
func TestEachSeatLastWords(t *testing.T) {
	t.Parallel()
	a, _, talk := seatApp()
	a.eachSeat(t.Context(), []int{1}, 1, func(_ context.Context, sub *app, seat string) error {
		sub.last.set(func() { fmt.Fprintln(sub.stderr, "reports are written") })
		a.last.say()
		return nil
	})
	assert.Equal(t, "seat-1 | reports are written\n", talk.String())
}

func TestSeatNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"seat-1": 1, "seat-42": 42, "seat-999": 999,
		"seat-0": 0, "seat-01": 0, "seat-1000": 0, "seat-": 0, "seat--1": 0, "seat-+1": 0, "seat-x": 0, "seats-1": 0, "pair": 0,
	} {
		assert.Equal(t, want, seatNumber(name), name)
	}
}
