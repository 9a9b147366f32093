package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"labctl/internal/journal"
	"labctl/provision"
)

// attempt shows one run of a step's script on one node: the node, the command,
// what came, and what each check says.
func (p *progress) attempt(e journal.Event) {
	again := ""
	if e.Attempt > 1 {
		again = fmt.Sprintf(", attempt %d", e.Attempt)
	}
	fmt.Fprintf(p.out, "  on %s%s:\n", e.Node, again)
	block(p.out, "  $ ", e.Script)
	block(p.out, "  | ", e.Stdout)
	block(p.out, "  ! ", e.Stderr)
	if e.Error != "" {
		fmt.Fprintf(p.out, "    error: %s\n", e.Error)
		return
	}
	fmt.Fprintf(p.out, "    exit %d after %.1f s\n", e.Exit, e.Seconds)
	for _, c := range e.Checks {
		p.check("", c)
		claim, _ := journal.Undecided(c, e.Claims)
		for _, of := range claim.Checks {
			p.check(string(of.Side)+": ", of)
		}
	}
}

// check shows one check, and what came where it does not hold; those of a claim
// with the side that they are of.
func (p *progress) check(side string, c journal.CheckResult) {
	indent := ""
	if side != "" {
		indent = "  "
	}
	fmt.Fprintf(p.out, "    %s%-5s %s%s\n", indent, c.Verdict, side, c.Want)
	if c.Verdict != "pass" && c.Got != "" {
		block(p.out, indent+"          got: ", c.Got)
	}
}

// block prints text with a prefix on each line.
func block(w io.Writer, prefix, text string) {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return
	}
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "  %s%s\n", prefix, strings.TrimRight(line, "\n"))
	}
}

// printEvidence prints what an error of provisioning brought along: the last
// lines of the nodes' serial consoles.
func printEvidence(w io.Writer, err error) {
	var e *provision.StepError
	if !errors.As(err, &e) {
		return
	}
	for _, node := range slices.Sorted(maps.Keys(e.Consoles)) {
		fmt.Fprintf(w, "last lines on the serial console of %s:\n", node)
		block(w, "| ", e.Consoles[node])
	}
}
