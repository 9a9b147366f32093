package plan

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// ansi matches the control sequences of ECMA-48: CSI (colours, cursor), OSC
// (titles, links) and the two-byte escapes.
var ansi = regexp.MustCompile("\x1b(?:" +
	`\[[0-?]*[ -/]*[@-~]` + "|" +
	"\\][^\x07\x1b]*(?:\x07|\x1b\\\\)" + "|" +
	`[@-Z\\^_=>]` + ")")

// Normalise makes text comparable: ANSI sequences, blanks and carriage returns
// at line ends, and newlines at the end go; bytes that are not UTF-8 are
// written as \xNN.
func Normalise(text string) string {
	text = ansi.ReplaceAllString(Escape(text), "")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Escape writes bytes that are not UTF-8 as \xNN and changes nothing else, so
// that a record in JSON is judged as the live output was.
func Escape(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, text[0])
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// maxGot is how many bytes of output a Result shows; the journal has it whole.
const maxGot = 600

// shorten keeps the beginning and the end, where commands say what went wrong.
func shorten(text string) string {
	if len(text) <= maxGot {
		return text
	}
	head := strings.ToValidUTF8(text[:maxGot/3], "")
	tail := strings.ToValidUTF8(text[len(text)-maxGot*2/3:], "")
	return fmt.Sprintf("%s… (%d bytes left out) …%s", head, len(text)-len(head)-len(tail), tail)
}

// Elide leaves out the middle of a text that is longer than limit bytes, at line
// ends where there are any, and returns how many bytes that are.
func Elide(text string, limit int) (string, int) {
	if len(text) <= limit {
		return text, 0
	}
	head, tail := text[:limit/2], text[len(text)-limit/2:]
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i+1 < len(tail) {
		tail = tail[i+1:]
	}
	head, tail = strings.ToValidUTF8(head, ""), strings.ToValidUTF8(tail, "")
	left := len(text) - len(head) - len(tail)
	if !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return fmt.Sprintf("%s… %d bytes left out …\n%s", head, left, tail), left
}
