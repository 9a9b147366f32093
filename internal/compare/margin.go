package compare

import "slices"

// Margin is a step that uses more and more of its limit.
type Margin struct {
	Step        string `json:"step"`
	Title       string `json:"title"`
	Kernel      string `json:"kernel,omitempty"`
	Accelerator string `json:"accelerator,omitempty"`
	// Runs is how many were looked at, From and To the first and the last of them.
	Runs int `json:"runs"`
	From int `json:"from"`
	To   int `json:"to"`
	// Before and Now are the medians of the first and the last third, in shares of
	// the limit.
	Before float64 `json:"before"`
	Now    float64 `json:"now"`
	// Newest is what the last run used.
	Newest Use `json:"newest"`
}

// What a margin that shrinks is.
const (
	// leastRuns have two in each third: of one alone nobody knows whether it is odd.
	leastRuns = 6
	// leastRise of the median, in shares of the limit: less is what a busy machine
	// does between two nights.
	leastRise = 0.10
	// MarginRule says it in words.
	MarginRule = "of at least 6 runs on the same kernel and accelerator in which it passed within the same limits, the median use of " +
		"the last third is at least 10 % of the limit above that of the first third, and that of the middle third is between them"
)

func margins(h History) []Margin {
	all := []Margin{}
	for _, s := range h.Steps {
		for _, series := range h.Series {
			if m, shrinks := margin(h, s, series); shrinks {
				all = append(all, m)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Margin) int {
		switch {
		case a.Now > b.Now:
			return -1
		case a.Now < b.Now:
			return 1
		}
		return 0
	})
	return all
}

func margin(h History, s Step, series Series) (Margin, bool) {
	var seen []StepInARun
	for _, r := range s.Runs {
		if r.Use != nil && h.run(r.Number).tells() && slices.Contains(series.Runs, r.Number) {
			seen = append(seen, r)
		}
	}
	if len(seen) == 0 {
		return Margin{}, false
	}
	// A limit that the lab has changed is another: only those within the newest's.
	limits := h.run(seen[len(seen)-1].Number).limits[s.ID]
	seen = slices.DeleteFunc(seen, func(r StepInARun) bool { return h.run(r.Number).limits[s.ID] != limits })
	if len(seen) < leastRuns {
		return Margin{}, false
	}
	shares := make([]float64, len(seen))
	for i, r := range seen {
		shares[i] = r.Use.Share()
	}
	third := len(seen) / 3
	last := len(seen) - third
	first, middle, now := median(shares[:third]), median(shares[third:last]), median(shares[last:])
	newest := seen[len(seen)-1]
	m := Margin{
		Step: s.ID, Title: s.Title, Kernel: series.Kernel, Accelerator: series.Accelerator,
		Runs: len(seen), From: seen[0].Number, To: newest.Number, Before: first, Now: now, Newest: *newest.Use,
	}
	const lack = 1e-9 // what a float lacks to a rise that is just enough
	return m, now-first >= leastRise-lack && first <= middle && middle <= now
}

// median of at least one number.
func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
