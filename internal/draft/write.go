package draft

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"labctl/internal/strictyaml"
)

// write makes a lab's file. Comments that are YAML load once their "# " is gone.
func (d *draft) write(name, writeup string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `# A first draft, made from %s. Each TODO is something that only you know; take it
# away when it is done. "labctl lint" finds slips, "labctl run" runs it, "labctl
# record" then proposes what to expect, and "labctl watch" judges while you write.
apiVersion: labctl/v1
kind: Lab
name: %s
title: %s
# TODO: say which text this makes executable: its author, title and date.
writeup: %s
topology: %s
`, oneLine(writeup), strictyaml.Scalar(name), strictyaml.Scalar(cmp.Or(d.title, name)), strictyaml.Scalar(writeup), Topology)
	d.writeLoose(&b)
	b.WriteString("\nsteps:\n")
	d.writeSteps(&b, "step", d.steps, "all commands are in the teardown: move here what is not")
	b.WriteString("\n# The write-up's own, as it has it. What it leaves goes into a \"repair:\" list.\nteardown:\n")
	d.writeSteps(&b, "teardown", d.teardown, "take away what the steps have made")
	return []byte(b.String())
}

// writeSteps writes a list, which a lab must not leave empty: todo says what goes
// into one that is.
func (d *draft) writeSteps(b *strings.Builder, prefix string, steps []*step, todo string) {
	if len(steps) == 0 {
		fmt.Fprintf(b, "  # TODO: %s.\n  - {id: %s, title: Nothing yet, on: %s, run: \"true\"}\n", todo, id(prefix, 0), d.nodes[0].node)
	}
	for i, s := range steps {
		s.write(b, id(prefix, i))
	}
}

func (s *step) write(b *strings.Builder, id string) {
	fmt.Fprintf(b, "  # Line %d.\n  - id: %s\n    title: %s\n    on: %s\n", s.line, id, strictyaml.Scalar(cmp.Or(s.title, "Commands")), s.on)
	if s.root {
		b.WriteString("    root: true\n")
	}
	script := strings.TrimRight(strings.Join(s.script, "\n"), " \t\n")
	if len(s.script) > 1 {
		script += "\n"
	}
	fmt.Fprintf(b, "    run: %s\n", strictyaml.Block(script, 6))
	for _, t := range s.todo {
		fmt.Fprintf(b, "    # TODO: %s.\n", oneLine(t))
	}
	if lines := trimmed(s.output); len(lines) > 0 {
		b.WriteString("    # TODO: expect of what the write-up shows what will come again.\n    # checks:\n    #   - stdout:\n    #       lines:\n")
		for _, l := range lines {
			fmt.Fprintf(b, "    #         - %s\n", strictyaml.Scalar(l))
		}
	} else {
		b.WriteString("    # TODO: checks: what must it print? \"labctl record\" proposes some.\n")
	}
	writeClaims(b, "    ", "TODO: which of these can the output settle? Say it in your own words, and how to see it.", `says: [{stdout: {contains: TODO}}]`, s.claims)
}

// writeLoose writes the sentences that stand near no commands.
func (d *draft) writeLoose(b *strings.Builder) {
	if len(d.loose) > 0 {
		b.WriteString("\n")
	}
	writeClaims(b, "", "TODO: sentences that stand near no commands. Move each to the step that shows it, or say why none can.", "cannot: TODO", d.loose)
}

func writeClaims(b *strings.Builder, indent, todo, how string, claims []claim) {
	if len(claims) == 0 {
		return
	}
	fmt.Fprintf(b, "%s# %s\n%s# claims:\n", indent, todo, indent)
	for _, c := range claims {
		fmt.Fprintf(b, "%s#   - id: %s\n%s#     where: %s\n%s#     text: %s\n%s#     %s\n", indent, c.id, indent,
			strictyaml.Scalar(cmp.Or(c.where, "the beginning")), indent, strictyaml.Scalar(c.text), indent, how)
	}
}

// oneLine is text that stays within a comment's line.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// trimmed are the lines without empty ones at both ends, and without blanks at
// their ends, which checks do not see.
func trimmed(lines []string) []string {
	var all []string
	for _, l := range lines {
		all = append(all, strings.TrimRight(l, " \t"))
	}
	for len(all) > 0 && all[0] == "" {
		all = all[1:]
	}
	for len(all) > 0 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}
