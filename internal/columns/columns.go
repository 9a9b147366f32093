// Package columns lays text out in the columns of a terminal, which are not its
// bytes and not its characters: some take none, some two.
package columns

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// Width is how many columns a text takes.
func Width(text string) int { return condition().StringWidth(text) }

// Cut returns the beginning of a text that fits into so many columns.
func Cut(text string, limit int) string { return condition().Truncate(text, limit, "") }

// condition is the same on every machine; the library's own goes by the locale.
func condition() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }

// Wrap breaks text between words into lines of at most so many columns, and
// within a word that is longer than that.
func Wrap(text string, limit int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case Width(*last)+1+Width(word) <= limit:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
		for {
			last := &lines[len(lines)-1]
			if Width(*last) <= limit {
				break
			}
			head := Cut(*last, limit)
			if head == "" {
				break // not even one character fits
			}
			rest := (*last)[len(head):]
			*last = head
			lines = append(lines, rest)
		}
	}
	return lines
}
