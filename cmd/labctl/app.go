package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"labctl/internal/labrun"
)

// app is the process edge: where streams, settings and folders come from.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	// last is for a second signal.
	last lastWords
}

// The exit codes, published in the help and in docs/formats.md. A run's own are
// everybody's.
const (
	exitOK         = labrun.ExitPassed
	exitFailed     = labrun.ExitFailed
	exitError      = labrun.ExitError // also work that could not be done, and a name that nothing has
	exitUnrestored = labrun.ExitUnrestored
	exitNothing    = labrun.ExitNothing
	exitUsage      = 64 // the command line is wrong
)

// run executes one command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	return a.conclude(ctx, root.ExecuteContext(ctx))
}

// conclude prints what a command came to, and returns its exit code.
func (a *app) conclude(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	// What a command settled on comes first: a pair that an interrupted lab could
	// not restore must not pass for one that is as it was.
	var code exitCode
	if errors.As(err, &code) {
		return int(code)
	}
	var by interruptedBy
	if errors.As(context.Cause(ctx), &by) {
		// What was going on says only that its context ended.
		if !errors.As(err, new(interruptedBy)) {
			err = fmt.Errorf("%w: %w", by, err)
		}
		a.printError(err)
		return 128 + int(by.signal)
	}
	a.printError(err)
	var usage usageError
	if errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command") {
		return exitUsage
	}
	return exitError
}

// printError prints an error, and the hint of each error in its chain that has
// one.
func (a *app) printError(err error) {
	fmt.Fprintf(a.stderr, "error: %v\n", err)
	printEvidence(a.stderr, err)
	for _, hint := range hints(err) {
		fmt.Fprintf(a.stderr, "hint: %s\n", hint)
	}
}

// hints collects the hints of an error and of all that it wraps, outermost
// first, each once.
func hints(err error) []string {
	var found []string
	seen := map[string]bool{}
	var walk func(error)
	walk = func(err error) {
		if err == nil {
			return
		}
		if h, ok := err.(interface{ Hint() string }); ok && h.Hint() != "" && !seen[h.Hint()] {
			seen[h.Hint()] = true
			found = append(found, h.Hint())
		}
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			walk(e.Unwrap())
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				walk(inner)
			}
		case interface{ WrappedErrors() []error }:
			for _, inner := range e.WrappedErrors() {
				walk(inner)
			}
		}
	}
	walk(err)
	return found
}

// exitCode ends the process with a code after everything has been said.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is a command line that cannot be understood.
type usageError struct {
	error
	hint string
}

func (e usageError) Hint() string { return e.hint }

func usagef(hint, format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...), hint}
}

// atMost refuses more arguments than n.
func atMost(n int) cobra.PositionalArgs { return usageOf(cobra.MaximumNArgs(n)) }

// atLeast refuses fewer arguments than n.
func atLeast(n int) cobra.PositionalArgs { return usageOf(cobra.MinimumNArgs(n)) }

// between refuses fewer arguments than low, and more than high.
func between(low, high int) cobra.PositionalArgs { return usageOf(cobra.RangeArgs(low, high)) }

// noArgs refuses any argument.
func noArgs() cobra.PositionalArgs { return usageOf(cobra.NoArgs) }

func usageOf(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{err, "usage: " + cmd.UseLine()}
		}
		return nil
	}
}

// exactly refuses any other number of arguments, naming those that it wants.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		return usagef("usage: "+cmd.UseLine(), "%s takes %d arguments (%s), not %d", cmd.CommandPath(), len(names), strings.Join(names, " "), len(args))
	}
}
