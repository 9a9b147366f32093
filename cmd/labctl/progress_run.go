package main

import (
	"fmt"
	"maps"
	"slices"

	"labctl/internal/journal"
)

// run tells what is of a lab's run and not of one step.
func (p *progress) run(e journal.Event) {
	switch e.Type {
	case journal.RunStarted:
		for _, c := range e.Run.Claims {
			p.claims[c.ID] = c
		}
		fmt.Fprintf(p.out, "%s\n", e.Run.Title)
		for _, n := range e.Run.Nodes {
			fmt.Fprintf(p.out, "  %-8s %s, kernel %s, clock %+.3f s\n", n.Name, n.Address, n.Kernel, n.Offset)
		}
		if e.Run.Accelerator == "tcg" {
			fmt.Fprintln(p.out, "  software emulation: times mean nothing, limits are longer")
		}
	case journal.PlanStarted:
		if e.Phase != "" {
			p.group = ""
			fmt.Fprintf(p.out, "\n%s\n", e.Phase)
		}
	case journal.Compared:
		p.compared(e)
	case journal.Interrupted:
		fmt.Fprintf(p.out, "\n%s: putting the cluster back\n", e.Text)
	}
}

var stages = map[journal.Stage]string{
	journal.AfterTeardown: "after the teardown", journal.AfterRepair: "after the repair", journal.AfterCheckpoint: "back at the checkpoint",
}

func (p *progress) compared(e journal.Event) {
	switch {
	case e.Error != "":
		fmt.Fprintf(p.out, "  the cluster could not be looked at: %s\n", e.Error)
	case e.Stage == journal.Baseline:
		fmt.Fprintf(p.out, "  fingerprint taken\n")
	case len(e.Differences) == 0:
		fmt.Fprintf(p.out, "  restored: %s the cluster is as it was\n", stages[e.Stage])
	default:
		fmt.Fprintf(p.out, "  %s the cluster differs:\n", stages[e.Stage])
		for _, d := range e.Differences {
			fmt.Fprintf(p.out, "    %s, %s\n", d.Node, d.Section)
			for _, line := range few(d.Missing) {
				fmt.Fprintf(p.out, "      - %s\n", line)
			}
			for _, line := range few(d.Extra) {
				fmt.Fprintf(p.out, "      + %s\n", line)
			}
		}
	}
}

// maxLines is how many lines of one difference are shown; the reports have all.
const maxLines = 8

func few(lines []string) []string {
	if len(lines) <= maxLines {
		return lines
	}
	return append(slices.Clone(lines[:maxLines]), fmt.Sprintf("… %d more", len(lines)-maxLines))
}

// verdicts tells what a step said about claims.
func (p *progress) verdicts(e journal.Event) {
	for _, id := range slices.Sorted(maps.Keys(e.Verdicts)) {
		fmt.Fprintf(p.out, "    %s %s: %s\n", id, e.Verdicts[id], p.claims[id].Text)
	}
}
