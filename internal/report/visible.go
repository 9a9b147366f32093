package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// piece is a run of text that is shown as it is, or a run of characters that
// nobody would see, or that would change how the rest is seen, written as
// escapes.
type piece struct {
	Text   string
	Hidden bool
}

// pieces splits text by whether it is seen. Letters, digits, punctuation,
// symbols, blanks, tabs and newlines are; control characters, what turns the
// direction of writing, what has no width, odd blanks and bytes that are not
// UTF-8 are not.
func pieces(text string) []piece {
	var all []piece
	var escaped strings.Builder
	start := 0 // of what is seen
	flush := func(end int) {
		if escaped.Len() > 0 && end > start {
			all = append(all, piece{escaped.String(), true})
			escaped.Reset()
		}
		if end > start {
			all = append(all, piece{text[start:end], false})
		}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if e := escape(r, size, text[i]); e != "" {
			flush(i)
			escaped.WriteString(e)
			start = i + size
		}
		i += size
	}
	flush(len(text))
	if escaped.Len() > 0 {
		all = append(all, piece{escaped.String(), true})
	}
	return all
}

// visible is the text with what is not seen written as escapes.
func visible(text string) string {
	var b strings.Builder
	for _, p := range pieces(text) {
		b.WriteString(p.Text)
	}
	return b.String()
}

// escape returns how to write a character that is not seen; empty for others.
func escape(r rune, size int, first byte) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf(`\x%02x`, first)
	case r == '\n' || r == '\t' || unicode.IsPrint(r):
		return ""
	case r == '\r':
		return `\r`
	case r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// elide keeps the beginning and the end of text that is longer than limit bytes.
func elide(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := limit/2, len(text)-limit/2
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n… %d bytes left out …\n%s", text[:head], tail-head, text[tail:])
}

// short is text that is not a stream: nobody writes a sentence of this length.
func short(text string) string { return elide(text, 4<<10) }

// line is text on one line, visible, with runs of blanks as one, cut after limit
// columns.
func line(text string, limit int) string {
	// What is far beyond the limit is not even looked at.
	if len(text) > 16*limit {
		text = strings.ToValidUTF8(text[:16*limit], "")
		return cut(visible(strings.Join(strings.Fields(text), " ")), limit-1) + "…"
	}
	text = visible(strings.Join(strings.Fields(text), " "))
	if columns(text) <= limit {
		return text
	}
	return cut(text, limit-1) + "…"
}

// cut returns the beginning of text that fits into so many columns.
func cut(text string, limit int) string {
	n := 0
	for i, r := range text {
		if n += width(r); n > limit {
			return text[:i]
		}
	}
	return text
}

// columns is how many columns of a terminal a text takes.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += width(r)
	}
	return n
}

// width is how many columns a character takes: none for marks that go over
// others, two for what East Asian scripts and pictures take.
func width(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r < 0x1100:
		return 1
	case r <= 0x115f, 0x2e80 <= r && r <= 0xa4cf, 0xac00 <= r && r <= 0xd7a3, 0xf900 <= r && r <= 0xfaff,
		0xfe30 <= r && r <= 0xfe6f, 0xff00 <= r && r <= 0xff60, 0xffe0 <= r && r <= 0xffe6,
		0x1f300 <= r && r <= 0x1f64f, 0x1f900 <= r && r <= 0x1f9ff, 0x20000 <= r && r <= 0x3fffd:
		return 2
	}
	return 1
}
