package restore

import (
	"fmt"
	"strings"
)

// piece is what a script printed in one section.
type piece struct {
	text string
	// absent is why it could not be looked at, if that is so.
	absent string
}

// lines returns the lines of a piece that are not empty.
func (p piece) lines() []string {
	var lines []string
	for line := range strings.Lines(p.text) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// split cuts a script's output into its sections. Output without its end is an
// error: what is missing would look like a cluster that lost something.
func split(out string) (map[string]piece, error) {
	before, rest, _ := strings.Cut(out, "\x1e")
	if strings.TrimSpace(before) != "" {
		return nil, fmt.Errorf("the output begins with %q", firstLine(before))
	}
	pieces := map[string]piece{}
	for section := range strings.SplitSeq(rest, "\x1e") {
		name, text, _ := strings.Cut(section, "\n")
		if name == "end" {
			return pieces, nil
		}
		p := piece{text: text}
		if reason, ok := strings.CutPrefix(text, "\x1f"); ok {
			p = piece{absent: firstLine(reason)}
		}
		pieces[name] = p
	}
	return nil, fmt.Errorf("the output has no end")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
