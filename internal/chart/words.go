package chart

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain is text on one line that no reader obeys, of at most so many characters:
// what would not be seen is written as an escape.
func plain(text string, limit int) string {
	var b strings.Builder
	n := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if n++; n > limit {
			b.WriteString("…")
			break
		}
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// middle shortens a word to so many characters; its end tells as much as its
// beginning.
func middle(word string, limit int) string {
	r := []rune(word)
	if len(r) <= limit {
		return word
	}
	if limit < 3 {
		return string(r[:max(0, limit)])
	}
	tail := (limit - 1) / 2
	return string(r[:limit-1-tail]) + "…" + string(r[len(r)-tail:])
}
