package labrun

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
)

// A minute without a word reads like a program that hangs; and what has no
// Kubernetes has nothing that would take that long to end.
func TestACommandThatWaitsForAClusterSaysSo(t *testing.T) {
	for _, c := range []struct {
		controlPlane, limit string
		least, most         time.Duration
	}{
		{"", "10s", 10 * time.Second, 20 * time.Second},
		{"a", "1m0s", 60 * time.Second, 70 * time.Second},
	} {
		cl := newCluster()
		r := cl.runner(t)
		r.Place.Reset, r.Place.ControlPlane = nil, c.controlPlane
		var told []string
		var since, until time.Time
		r.Listen = func(e journal.Event) {
			if e.Type == journal.Progress {
				told = append(told, e.Text)
				since = e.Time
			}
			if e.Type == journal.Compared {
				until = e.Time
			}
		}
		result, dir, err := r.Lab(t.Context(), source(t, steps+sloppy+useless), Options{})
		require.NoError(t, err)
		assert.Equal(t, journal.NotRestored, result.Restore.Verdict)
		assert.Equal(t, []string{"the cluster differs: it has " + c.limit + " to settle"}, told, "once")
		assert.GreaterOrEqual(t, until.Sub(since), c.least-settleEvery)
		assert.Less(t, until.Sub(since), c.most)
		content, err := os.ReadFile(filepath.Join(dir, journal.JournalFile))
		require.NoError(t, err)
		assert.NotContains(t, string(content), "to settle", "no part of the record")
	}
}
