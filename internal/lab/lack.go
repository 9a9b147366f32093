package lab

import (
	"maps"
	"regexp"
	"slices"

	"labctl/internal/plan"
)

// Lack is something that a choice of steps leaves out and one of them needs.
type Lack struct {
	Step, Before plan.Step
	// Capture is what Before captures and Step uses. It is empty where Step stops
	// Before.
	Capture string
}

// Lack finds the first thing that the chosen ones of the lab's Steps need and do
// not have from each other; nil if there is nothing. has tells what a step sees
// all the same.
func (l Lab) Lack(chosen map[string]bool, has func(s plan.Step, name string) bool) *Lack {
	for i, s := range l.Steps.Steps {
		if !chosen[s.ID] {
			continue
		}
		for _, before := range l.Steps.Steps[:i] {
			if chosen[before.ID] {
				continue
			}
			if before.Row != nil && before.Row != s.Row {
				continue // what it captures is for its own row
			}
			if s.Stop == before.ID {
				return &Lack{Step: s, Before: before}
			}
			for _, name := range slices.Sorted(maps.Keys(before.Capture)) {
				if !has(s, name) && uses(s, name) {
					return &Lack{Step: s, Before: before, Capture: name}
				}
			}
		}
	}
	return nil
}

// uses tells whether a step's script mentions a variable.
func uses(s plan.Step, name string) bool {
	return regexp.MustCompile(`\$\{?` + name + `\b`).MatchString(s.Run)
}
