package doctor

import (
	"fmt"
	"io"
	"strings"
)

// Plain writes findings for a person: a line each, below it the fix of what is
// not ok, and a last line with counts.
func Plain(w io.Writer, findings []Finding) error {
	width := 0
	for _, f := range findings {
		width = max(width, len(f.Check))
	}
	var text strings.Builder
	counts := map[Level]int{}
	for _, f := range findings {
		counts[f.Level]++
		fmt.Fprintf(&text, "%-4s  %-*s  %s\n", f.Level, width, f.Check, f.Text)
		if f.Level != OK {
			fmt.Fprintf(&text, "      %-*s  fix: %s\n", width, "", f.Fix)
		}
	}
	fmt.Fprintf(&text, "%d ok, %d to note, %d bad\n", counts[OK], counts[Note], counts[Bad])
	_, err := io.WriteString(w, text.String())
	return err
}
