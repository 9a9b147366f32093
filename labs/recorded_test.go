package labs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/labrun"
	"labctl/internal/plan"
)

// Each lab has runs on real pairs recorded in its folder, one for each variant
// of the pair. They are judged by today's checks: a check that is changed shows
// at once what it would have said then.
func TestRecordedRuns(t *testing.T) {
	for _, name := range Names() {
		l, err := Open(name)
		require.NoError(t, err)
		recorded, err := filepath.Glob(filepath.Join(Folder(name), "recorded", "*"))
		require.NoError(t, err)
		assert.NotEmpty(t, recorded, "lab %q has no recorded run", name)
		for _, dir := range recorded {
			t.Run(dir, func(t *testing.T) {
				folder, err := journal.OpenFolder(dir)
				require.NoError(t, err)
				result, err := labrun.Judge(folder, l)
				require.NoError(t, err)
				assert.True(t, result.Complete)
				assert.Equal(t, "pass", result.Verdict)
				assert.Equal(t, journal.Restored, result.Restore.Verdict)
				for _, p := range result.Plans {
					for _, s := range p.Steps {
						assert.Equal(t, "pass", s.Verdict, "%s: %s", s.ID, s.Error)
					}
				}
				for _, c := range result.Claims {
					assert.NotContains(t, []plan.ClaimVerdict{plan.NotJudged, plan.Contested, plan.Ambiguous}, c.Verdict, c.ID)
				}
				file := filepath.Join(dir, "verdicts.txt")
				if *update {
					require.NoError(t, os.WriteFile(file, []byte(verdicts(result)), 0o600))
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Equal(t, string(want), verdicts(result), "if that is right: go test ./labs -update")
			})
		}
	}
}

// verdicts are the claims of a run, a line each.
func verdicts(r journal.Result) string {
	var b strings.Builder
	for _, c := range r.Claims {
		fmt.Fprintf(&b, "%s\t%s\t%s\n", c.ID, c.Verdict, strings.ReplaceAll(c.Showed, "\n", " | "))
	}
	return b.String()
}
