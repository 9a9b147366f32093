// Package draft makes a first lab from a write-up: its commands become steps, what
// it shows of their output and its sentences that read like expectations stand
// behind them as comments for the author to use. What it cannot know it guesses,
// and says so in a comment with TODO.
package draft

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"labctl/internal/lab"
	"labctl/topology"
)

// Topology is what a drafted lab runs on.
const Topology = "pair"

// NoCommandsError says that a write-up shows nothing to run.
type NoCommandsError struct{ Name string }

func (e *NoCommandsError) Error() string {
	return fmt.Sprintf("reading write-up %q: it shows no commands", e.Name)
}

// Hint says what is taken for commands.
func (e *NoCommandsError) Hint() string {
	return "commands are fenced or indented code in Markdown (.md); in plain text (.txt) lines behind a prompt \"$ \" or \"# \", indented or fenced lines, and paragraphs that begin with a program's name"
}

// Lab makes the file of a lab called name from a write-up; what its file is called
// tells Markdown (.md, .markdown) from plain text. The file loads. The error is a
// *NoCommandsError, or that of a name that no lab can have.
func Lab(name, writeup string, text []byte) ([]byte, error) {
	if err := topology.CheckName(name); err != nil {
		return nil, err
	}
	plain := strings.ToValidUTF8(strings.ReplaceAll(strings.TrimPrefix(string(text), "\ufeff"), "\r\n", "\n"), "\ufffd")
	var pieces []piece
	switch strings.ToLower(filepath.Ext(writeup)) {
	case ".md", ".markdown":
		pieces = markdown(plain)
	default:
		pieces = plainText(plain)
	}
	d, err := arrange(pieces)
	if err != nil {
		return nil, err
	}
	if len(d.steps)+len(d.teardown) == 0 {
		return nil, &NoCommandsError{Name: writeup}
	}
	file := d.write(name, filepath.Base(writeup))
	if _, err := lab.Parse(name+"/lab.yaml", file); err != nil {
		return nil, errors.Join(fmt.Errorf("drafting lab %q: what came of it does not load", name), err)
	}
	return file, nil
}

// piece is a part of a write-up: a heading, a paragraph, or code.
type piece struct {
	heading, paragraph string
	code               []string
	// language is that of fenced code; empty if it says none.
	language string
	// line is where it starts, from 1.
	line int
}
