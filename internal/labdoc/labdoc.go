// Package labdoc shows a lab to people who have not run it: on a terminal, and
// as the Markdown of the README.md in its folder.
package labdoc

import (
	"strings"

	"labctl/internal/lab"
	"labctl/internal/plan"
)

// part is one of a lab's plans.
type part struct {
	title, about string
	items        []item
}

func parts(l lab.Lab) []part {
	all := []part{
		{"Steps", "In this order; the run stops at the first that does not pass.", items(l.Steps)},
		{"Teardown", "The write-up's own; all of it runs, whatever became of the steps.", items(l.Teardown)},
	}
	if len(l.Repair.Steps) > 0 {
		all = append(all, part{"Repair", "What the teardown leaves, put right.", items(l.Repair)})
	}
	return all
}

// drillsAbout heads the symptoms. What causes them is for the learner to find, and
// an id could tell it.
const drillsAbout = "Each breaks something; find it and mend it: labctl run LAB --drill NUMBER"

// About says where and how a step runs.
func About(s plan.Step) string {
	var words []string
	switch {
	case s.Stop != "":
		words = append(words, "ends "+s.Stop)
	default:
		words = append(words, "on "+strings.Join(s.On, ", "))
	}
	if s.Root {
		words = append(words, "as root")
	}
	if s.Background != nil {
		words = append(words, "in the background")
	}
	if s.Retry.Every > 0 {
		words = append(words, "again every "+s.Retry.Every.String()+" for up to "+s.Retry.Limit.String())
	}
	if s.Chart != nil {
		words = append(words, "drawn as a sequence chart")
	}
	return strings.Join(words, ", ")
}

// outcomes of a claim, in words.
func outcomes(c plan.Claim) (says, shows string) {
	return wants(c.Says), wants(c.Shows)
}

func wants(checks []plan.Check) string {
	var words []string
	for _, c := range checks {
		words = append(words, c.String())
	}
	return strings.Join(words, "; ")
}
