package labdoc

import (
	"fmt"
	"io"
	"strings"

	"labctl/internal/columns"
	"labctl/internal/lab"
	"labctl/internal/plan"
)

// Terminal shows a lab on a terminal of 80 columns or more.
func Terminal(w io.Writer, l lab.Lab) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n%s\n", l.Title, strings.Repeat("=", columns.Width(l.Title)), fold(l.Writeup, ""))
	for _, p := range parts(l) {
		fmt.Fprintf(&b, "\n%s: %s\n", strings.ToUpper(p.title), p.about)
		for _, i := range p.items {
			if i.table != nil {
				tableShown(&b, *i.table)
			} else {
				shown(&b, i.step)
			}
		}
	}
	if len(l.Paper) > 0 {
		b.WriteString("\nCLAIMS that no step proves\n")
		for _, c := range l.Paper {
			fmt.Fprintf(&b, "\n  %s (%s), %s\n%s\n%s\n", c.ID, c.Where, c.Verdict, fold(c.Text, "    "), fold(c.Because, "    "))
		}
	}
	if len(l.Drills) > 0 {
		fmt.Fprintf(&b, "\nDRILLS: %s\n", drillsAbout)
		for i, d := range l.Drills {
			fmt.Fprintf(&b, "%4d  %s\n", i+1, strings.TrimSpace(fold(d.Title, "      ")))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func shown(b *strings.Builder, s plan.Step) {
	fmt.Fprintf(b, "\n%s  %s\n%s%s", s.ID, s.Title, Step(s), Expected(s))
}

// Step is where a step runs, what there is to see, and its script, as lines of a
// terminal. Of a step that ends another there is no script.
func Step(s plan.Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  (%s)\n", About(s))
	if s.Explain != "" {
		fmt.Fprintf(&b, "%s\n", fold(s.Explain, "  "))
	}
	for line := range strings.Lines(strings.TrimRight(s.Run, "\n")) {
		fmt.Fprintf(&b, "  $ %s\n", strings.TrimRight(line, "\n"))
	}
	return b.String()
}

// Expected is what must hold of a step's output, and what the write-up says and
// what is known instead, as lines of a terminal; nothing if nothing is.
func Expected(s plan.Step) string {
	var b strings.Builder
	for _, c := range s.Checks {
		fmt.Fprintf(&b, "  must hold: %s\n", c)
	}
	for _, c := range s.Claims {
		fmt.Fprintf(&b, "  %s (%s)\n%s\n", c.ID, c.Where, fold(c.Text, "    "))
		says, shows := outcomes(c)
		if says != "" {
			fmt.Fprintf(&b, "    holds if: %s\n", says)
		}
		if shows != "" {
			fmt.Fprintf(&b, "    %s if: %s\n", c.Otherwise, shows)
		}
		if c.Because != "" {
			fmt.Fprintf(&b, "%s\n", fold("because "+c.Because, "    "))
		}
	}
	return b.String()
}

// screen is how wide a line may be.
const screen = 78

// fold breaks text into lines that fit on the screen, each with the indent.
func fold(text, indent string) string {
	lines := columns.Wrap(text, screen-len(indent))
	return indent + strings.Join(lines, "\n"+indent)
}
