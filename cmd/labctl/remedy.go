package main

import (
	"fmt"

	"labctl/internal/journal"
)

// remedy says what to do about a cluster that a run has left changed: a pair, or
// the hosts of a topology's file; empty if there is nothing to do.
func remedy(r journal.Result, hosts string) string {
	switch r.Restore.Outcome() {
	case journal.Kept:
		meant := " --name " + r.Run.Pair
		if hosts != "" {
			meant = " --topology " + hosts
		}
		return "look at it, go on with it by --from STEP, or put it back: labctl teardown" + meant
	case journal.NotRestored:
		now := "go back to the checkpoint: labctl reset " + r.Run.Pair
		if hosts != "" {
			now = "mend these hosts by hand; of docs/bench.sh, start them anew"
		}
		return fmt.Sprintf(`what puts right what differs belongs into the lab's "repair"; for now, %s`, now)
	}
	return ""
}
