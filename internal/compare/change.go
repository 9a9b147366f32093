package compare

import (
	"cmp"
	"slices"

	"labctl/internal/plan"
)

// Change is a claim whose verdict is another than in the run before it.
type Change struct {
	Claim  string            `json:"claim"`
	Where  string            `json:"where"`
	Text   string            `json:"text"`
	Before plan.ClaimVerdict `json:"before"`
	After  plan.ClaimVerdict `json:"after"`
	// From and To are the numbers of the runs.
	From int `json:"from"`
	To   int `json:"to"`
}

// ChangeRule says which runs are compared.
const ChangeRule = "each run is compared with the one before it that judged the claim on the same kernel, accelerator and Kubernetes; " +
	"the first on a Kubernetes with the one before it on any other, of the same kernel and accelerator"

// changes are in the order of the runs that show them.
func changes(h History) []Change {
	all := []Change{}
	for _, c := range h.Claims {
		for _, s := range h.Series {
			on := map[string]int{} // Kubernetes to the last run on it
			newest := 0
			for _, number := range s.Runs {
				l := h.run(number)
				verdict, has := c.Verdicts[number]
				if !has || !l.judged(verdict) {
					continue
				}
				before := cmp.Or(on[l.Kubernetes], newest)
				on[l.Kubernetes], newest = number, number
				if before != 0 && c.Verdicts[before] != verdict {
					all = append(all, Change{
						Claim: c.ID, Where: c.Where, Text: c.Text,
						Before: c.Verdicts[before], After: verdict, From: before, To: number,
					})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Change) int { return cmp.Compare(a.To, b.To) })
	return all
}

// judged tells whether the run has found out about a claim with this verdict.
func (l Line) judged(v plan.ClaimVerdict) bool {
	if !l.tells() || v == plan.NotJudged {
		return false
	}
	// What was cut in the middle was not judged.
	return !l.cut || v != plan.Ambiguous && v != plan.Contested
}
