package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"labctl/internal/journal"
)

// TestRemedy: whoever reads that a cluster is not as it was wants to know what to do.
func TestRemedy(t *testing.T) {
	for _, c := range []struct{ verdict, hosts, want string }{
		{journal.Restored, "", ""},
		{journal.NotCompared, "bench.yaml", ""},
		{journal.Kept, "", "put it back: labctl teardown --name p"},
		{journal.Kept, "bench.yaml", "put it back: labctl teardown --topology bench.yaml"},
		{journal.NotRestored, "", "labctl reset p"},
		{journal.NotRestored, "bench.yaml", "start them anew"},
	} {
		got := remedy(journal.Result{Complete: true, Run: journal.Run{Pair: "p"}, Restore: journal.Restore{Verdict: c.verdict}}, c.hosts)
		if c.want == "" {
			assert.Empty(t, got, c.verdict)
			continue
		}
		assert.Contains(t, got, c.want, c.verdict)
	}
}
