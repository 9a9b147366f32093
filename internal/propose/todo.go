package propose

import (
	"bytes"
	"regexp"
)

var (
	// todo is the line by which a draft asks for the checks of a step.
	todo = regexp.MustCompile(`^ *# TODO: checks:`)
	// nextStep is the first line of a list's next step or table.
	nextStep = regexp.MustCompile(`^ *- *\{? *(?:id|table):`)
)

// done takes away the line that asks for the checks of the step that begins at a
// line, from 1: they are there now.
func done(file []byte, line int) []byte {
	lines := bytes.SplitAfter(file, []byte("\n"))
	indent := func(l []byte) int { return len(l) - len(bytes.TrimLeft(l, " ")) }
	for i := line; i < len(lines) && !nextStep.Match(lines[i]); i++ {
		if todo.Match(lines[i]) && indent(lines[i]) > indent(lines[line-1]) {
			return bytes.Join(append(lines[:i:i], lines[i+1:]...), nil)
		}
	}
	return file
}
