package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"labctl/internal/columns"
)

// terminalWidth is how wide a line of the talk is.
const terminalWidth = 78

// dialogue asks a person on a terminal, line by line, so that a script can answer,
// too. It reads no further than it was asked to, so a shell may have the terminal
// in between.
type dialogue struct {
	out io.Writer
	in  *bufio.Reader
	// terminal is where the lines come from; nil for a script's.
	terminal *os.File
	// waiting is the read that nobody has waited for to the end.
	waiting chan typed
}

// typed is what a read came to.
type typed struct {
	line string
	err  error
}

func (a *app) dialogue() *dialogue {
	return &dialogue{out: a.stderr, in: bufio.NewReader(a.stdin), terminal: a.terminal()}
}

// line is the next one, as it was typed but for its end. Its error is io.EOF
// whatever ended the input, since nobody answers any more, or the context's cause.
func (d *dialogue) line(ctx context.Context) (string, error) {
	if d.waiting == nil {
		d.waiting = make(chan typed, 1)
		go func(to chan<- typed) {
			line, err := d.in.ReadString('\n')
			to <- typed{line, err}
		}(d.waiting)
	}
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case got := <-d.waiting:
		d.waiting = nil
		if got.err != nil && got.line == "" {
			return "", io.EOF
		}
		return strings.TrimRight(got.line, "\r\n"), nil
	}
}

// ask waits for an answer, without the blanks around it.
func (d *dialogue) ask(ctx context.Context) (string, error) {
	fmt.Fprint(d.out, "> ")
	line, err := d.line(ctx)
	switch {
	case errors.Is(err, io.EOF):
		fmt.Fprintln(d.out, "(end of input)")
	case err != nil:
		fmt.Fprintln(d.out)
	case d.terminal == nil:
		fmt.Fprintln(d.out, line) // it shows nowhere else
	}
	return strings.TrimSpace(line), err
}

// say writes a paragraph, each of its lines after the indent.
func (d *dialogue) say(indent, text string) {
	for _, line := range columns.Wrap(text, terminalWidth-len(indent)) {
		fmt.Fprintf(d.out, "%s%s\n", indent, line)
	}
}
