package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"labctl/internal/journal"
)

// TestWhyOfAClaim: that a sentence does not hold says nothing to whoever wrote it.
func TestWhyOfAClaim(t *testing.T) {
	of := func(shows string) journal.Attempt {
		return journal.Attempt{
			Checks: []journal.CheckResult{{Verdict: "pass", Want: "exit code 0"}, {Verdict: "fail", Want: "claim C2: what it says", Got: "it does not hold", Claim: "C2"}},
			Claims: []journal.ClaimResult{
				{ID: "C", Says: "fail", Checks: []journal.CheckResult{{Verdict: "fail", Side: "says", Want: "another claim's"}}},
				{ID: "C2", Says: "fail", Shows: shows, Checks: []journal.CheckResult{
					{Verdict: "pass", Side: "says", Want: "stdout is not empty"},
					{Verdict: "fail", Side: "says", Want: `stdout contains "2 received"`, Got: "1 received"},
				}},
			},
		}
	}
	assert.Equal(t, `claim C2: what it says: stdout contains "2 received"; got: 1 received`, whyAttempt(of("")))
	assert.Equal(t, "claim C2: what it says; got: it does not hold", whyAttempt(of("fail")), "of two sides, no check alone is the reason")
}
