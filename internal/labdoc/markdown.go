package labdoc

import (
	"fmt"
	"strings"

	"labctl/internal/lab"
	"labctl/internal/plan"
)

// Markdown is a lab's README.md, generated from its lab.yaml. The lab is named as its
// commands have to name it: by its name, or by the path of its folder.
func Markdown(l lab.Lab, named string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n<!-- Made from lab.yaml: labctl docs %s -->\n\n%s\n\n", escape(l.Title), named, escape(l.Writeup))
	fmt.Fprintf(&b, "Run it: `labctl run %s`. It runs on topology `%s`.\n", named, l.Topology)
	for _, p := range parts(l) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", p.title, p.about)
		for _, i := range p.items {
			if i.table != nil {
				tableMarkdown(&b, *i.table)
			} else {
				step(&b, "###", i.step)
			}
		}
	}
	if len(l.Paper) > 0 {
		b.WriteString("\n## Claims that no step proves\n\n| claim | where | what the write-up says | verdict | why |\n|---|---|---|---|---|\n")
		for _, c := range l.Paper {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", c.ID, cell(c.Where), cell(c.Text), c.Verdict, cell(c.Because))
		}
	}
	if len(l.Drills) > 0 {
		fmt.Fprintf(&b, "\n## Drills\n\n%s\n\n", drillsAbout)
		for i, d := range l.Drills {
			fmt.Fprintf(&b, "%d. %s\n", i+1, escape(d.Title))
		}
	}
	return b.String()
}

func step(b *strings.Builder, heading string, s plan.Step) {
	fmt.Fprintf(b, "\n%s %s: %s\n\n", heading, escape(s.ID), escape(s.Title))
	if s.Explain != "" {
		fmt.Fprintf(b, "%s\n\n", escape(strings.TrimSpace(s.Explain)))
	}
	if s.Stop == "" {
		fence := "```"
		for strings.Contains(s.Run, fence) {
			fence += "`"
		}
		fmt.Fprintf(b, "%sbash\n%s\n%s\n\n", fence, strings.TrimRight(s.Run, "\n"), fence)
	}
	fmt.Fprintf(b, "Runs %s.", escape(About(s)))
	if len(s.Checks) > 0 {
		b.WriteString(" Must hold:\n\n")
		for _, c := range s.Checks {
			fmt.Fprintf(b, "- %s\n", code(c.String()))
		}
	} else {
		b.WriteString("\n")
	}
	if len(s.Claims) > 0 {
		b.WriteString("\n| claim | where | what the write-up says | known instead | why |\n|---|---|---|---|---|\n")
		for _, c := range s.Claims {
			known := ""
			if len(c.Shows) > 0 {
				known = string(c.Otherwise)
			}
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", cell(c.ID), cell(c.Where), cell(c.Text), known, cell(c.Because))
		}
	}
}

// code is text as it is, however many backquotes it has.
func code(s string) string {
	s = strings.ReplaceAll(s, "\n", " ")
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

var markup = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "$", `\$`)

func escape(s string) string { return markup.Replace(s) }

func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(escape(s)), " "), "|", `\|`)
}
