package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"labctl/internal/columns"
	"labctl/internal/plan"
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

// elide is plan.Elide where nobody asks how much was left out.
func elide(text string, limit int) string {
	text, _ = plan.Elide(text, limit)
	return text
}

// short is text that is not a stream: nobody writes a sentence of this length.
func short(text string) string { return elide(text, 4<<10) }

// line is text on one line, visible, with runs of blanks as one, cut after limit
// columns.
func line(text string, limit int) string {
	// What is far beyond the limit is not even looked at.
	if len(text) > 16*limit {
		text = strings.ToValidUTF8(text[:16*limit], "")
		return columns.Cut(visible(strings.Join(strings.Fields(text), " ")), limit-1) + "…"
	}
	text = visible(strings.Join(strings.Fields(text), " "))
	if columns.Width(text) <= limit {
		return text
	}
	return columns.Cut(text, limit-1) + "…"
}
