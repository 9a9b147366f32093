package labrun

import (
	"labctl/internal/journal"
	"labctl/internal/lab"
)

// Claims lists all claims of a lab: those that a step proves, in the order of
// the steps, then those that no step can.
func Claims(l lab.Lab) []journal.ClaimInfo {
	var all []journal.ClaimInfo
	for _, p := range l.Plans() {
		for _, s := range p.Steps {
			for _, c := range s.Claims {
				all = append(all, journal.ClaimInfo{ID: c.ID, Where: c.Where, Text: c.Text, Step: s.ID, Because: c.Because})
			}
		}
	}
	for _, c := range l.Paper {
		all = append(all, journal.ClaimInfo{ID: c.ID, Where: c.Where, Text: c.Text, Because: c.Because, Fixed: c.Verdict})
	}
	return all
}
