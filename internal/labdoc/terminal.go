package labdoc

import (
	"fmt"
	"io"
	"strings"

	"labctl/internal/lab"
	"labctl/internal/plan"
)

// Terminal shows a lab on a terminal of 80 columns or more.
func Terminal(w io.Writer, l lab.Lab) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n%s\n", l.Title, strings.Repeat("=", len([]rune(l.Title))), fold(l.Writeup, "", 78))
	for _, p := range parts(l) {
		fmt.Fprintf(&b, "\n%s: %s\n", strings.ToUpper(p.title), p.about)
		for _, s := range p.steps {
			shown(&b, s)
		}
	}
	if len(l.Paper) > 0 {
		b.WriteString("\nCLAIMS that no step proves\n")
		for _, c := range l.Paper {
			fmt.Fprintf(&b, "\n  %s (%s), %s\n%s\n%s\n", c.ID, c.Where, c.Verdict, fold(c.Text, "    ", 78), fold(c.Because, "    ", 78))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func shown(b *strings.Builder, s plan.Step) {
	fmt.Fprintf(b, "\n%s  %s\n  (%s)\n", s.ID, s.Title, about(s))
	if s.Explain != "" {
		fmt.Fprintf(b, "%s\n", fold(s.Explain, "  ", 78))
	}
	for line := range strings.Lines(strings.TrimRight(s.Run, "\n")) {
		fmt.Fprintf(b, "  $ %s\n", strings.TrimRight(line, "\n"))
	}
	for _, c := range s.Checks {
		fmt.Fprintf(b, "  must hold: %s\n", c)
	}
	for _, c := range s.Claims {
		fmt.Fprintf(b, "  %s (%s)\n%s\n", c.ID, c.Where, fold(c.Text, "    ", 78))
		says, shows := outcomes(c)
		if says != "" {
			fmt.Fprintf(b, "    holds if: %s\n", says)
		}
		if shows != "" {
			fmt.Fprintf(b, "    %s if: %s\n", c.Otherwise, shows)
		}
		if c.Because != "" {
			fmt.Fprintf(b, "%s\n", fold("because "+c.Because, "    ", 78))
		}
	}
}

// fold breaks text into lines of at most width, each with the indent.
func fold(text, indent string, width int) string {
	var lines []string
	line := indent
	for _, word := range strings.Fields(text) {
		if line != indent && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}
