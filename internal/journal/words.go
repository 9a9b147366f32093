package journal

import "labctl/internal/plan"

// CheckResults puts the results of checks into words.
func CheckResults(results []plan.Result) []CheckResult {
	var all []CheckResult
	for _, res := range results {
		all = append(all, CheckResult{Verdict: res.Verdict.String(), Want: res.Want, Got: res.Got, Pos: res.Pos, Side: res.Side, Claim: res.Claim})
	}
	return all
}

// ClaimResults does the same for claims.
func ClaimResults(claims []plan.ClaimResult) []ClaimResult {
	var all []ClaimResult
	for _, c := range claims {
		all = append(all, ClaimResult{
			ID: c.ID, Says: side(c.Says), Shows: side(c.Shows), Checks: CheckResults(c.Results),
		})
	}
	return all
}

// side is empty where a claim has no such checks.
func side(v plan.Verdict) string {
	if v == plan.Skipped {
		return ""
	}
	return v.String()
}

// ScriptChanged is the error of a recorded attempt whose script is another one in
// the lab that it is judged by.
const ScriptChanged = "the script has changed since: run the lab again"
