package journal

import (
	"slices"

	"labctl/internal/plan"
)

// Undecided returns the claim of which a result of the same attempt says that nobody
// can decide it, with those of its checks that did not hold; false for a result of
// another kind. The result alone says "it does not hold", and not what was looked for.
func Undecided(r CheckResult, claims []ClaimResult) (ClaimResult, bool) {
	i := slices.IndexFunc(claims, func(c ClaimResult) bool { return c.ID == r.Claim })
	if r.Claim == "" || i < 0 {
		return ClaimResult{}, false
	}
	c := claims[i]
	c.Checks = slices.DeleteFunc(slices.Clone(c.Checks), func(check CheckResult) bool { return check.Verdict == plan.Pass.String() })
	return c, true
}
