package draft

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// plainText reads text whose layout is all there is to tell commands from prose.
func plainText(content string) []piece {
	r := textReader{lines: strings.Split(content, "\n")}
	for r.at < len(r.lines) {
		r.next()
	}
	return r.pieces
}

type textReader struct {
	lines  []string
	at     int
	pieces []piece
}

var fence = regexp.MustCompile("^(```+|~~~+) *([A-Za-z-]*) *$")

// next reads a piece, or a blank line.
func (r *textReader) next() {
	start := r.at
	line := r.lines[start]
	switch {
	case blank(line):
		r.at++
	case fence.MatchString(line):
		m := fence.FindStringSubmatch(line)
		code := r.while(start+1, func(l string) bool { return strings.TrimRight(l, " ") != m[1] })
		r.at++ // the closing fence
		r.add(piece{code: code, language: strings.ToLower(m[2]), line: start + 2})
	case isPrompt(line):
		r.add(piece{code: r.while(start, r.ofSession), line: start + 1})
	case indented(line):
		r.add(piece{code: unindent(r.while(start, func(l string) bool { return indented(l) || blank(l) })), line: start + 1})
	default:
		lines := r.while(start, func(l string) bool { return !blank(l) && !fence.MatchString(l) })
		switch {
		case looksLikeShell(lines):
			var read reading
			for _, l := range lines {
				read.add(l)
			}
			for read.heredoc != "" && r.at < len(r.lines) {
				lines = append(lines, r.lines[r.at])
				read.add(r.lines[r.at])
				r.at++
			}
			r.add(piece{code: lines, line: start + 1})
		case looksLikeHeading(lines):
			r.add(piece{heading: strings.TrimSpace(lines[0]), line: start + 1})
		default:
			r.add(piece{paragraph: strings.Join(strings.Fields(strings.Join(lines, " ")), " "), line: start + 1})
		}
	}
}

func (r *textReader) add(p piece) {
	if p.heading != "" || p.paragraph != "" || len(p.code) > 0 {
		r.pieces = append(r.pieces, p)
	}
}

// while takes the lines from a place for as long as they belong, without blank
// ones at the end.
func (r *textReader) while(start int, belongs func(line string) bool) []string {
	r.at = start
	for r.at < len(r.lines) && belongs(r.lines[r.at]) {
		r.at++
	}
	lines := append([]string(nil), r.lines[start:r.at]...)
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// ofSession tells whether the line at hand goes on with a session: up to a blank
// line that no prompt follows.
func (r *textReader) ofSession(line string) bool {
	return !blank(line) || r.at+1 < len(r.lines) && isPrompt(r.lines[r.at+1])
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

func indented(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}

// unindent takes away what all lines are indented by.
func unindent(lines []string) []string {
	least := -1
	for _, l := range lines {
		if depth := len(l) - len(strings.TrimLeft(l, " \t")); !blank(l) && (least < 0 || depth < least) {
			least = depth
		}
	}
	var all []string
	for _, l := range lines {
		all = append(all, l[min(len(l), max(0, least)):])
	}
	return all
}

// maxHeading is the most characters of a line that may be a heading.
const maxHeading = 80

func looksLikeHeading(lines []string) bool {
	if len(lines) == 2 && underline.MatchString(lines[1]) {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(lines[0]))
	return len(lines) == 1 && utf8.RuneCountInString(lines[0]) <= maxHeading && !strings.ContainsRune(".,:;!?。，：；！？）", last) && !bullet.MatchString(lines[0])
}

var (
	underline = regexp.MustCompile(`^(?:=+|-+)$`)
	bullet    = regexp.MustCompile(`^(?:[•*-]|\d+\.) `)
)
