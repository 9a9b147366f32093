package journal

import (
	"strings"

	"labctl/internal/plan"
)

// Undecided returns the claim that a result of the same attempt is about, with
// those of its checks that did not hold; false for a result of another kind. The
// result alone says "it does not hold", and not what was looked for.
func Undecided(r CheckResult, claims []ClaimResult) (ClaimResult, bool) {
	for _, c := range claims {
		if r.Verdict == plan.Pass.String() || !strings.HasPrefix(r.Want, "claim "+c.ID+": ") {
			continue
		}
		all := c.Checks
		c.Checks = nil
		for _, check := range all {
			if check.Verdict != plan.Pass.String() {
				c.Checks = append(c.Checks, check)
			}
		}
		return c, true
	}
	return ClaimResult{}, false
}
