package compare

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"labctl/internal/plan"
)

// History is many runs of one lab.
type History struct {
	Lab string `json:"lab"`
	// Runs are from the oldest to the newest.
	Runs []Line `json:"runs"`
	// Series are the machines that it ran on, in the order of their first runs.
	Series []Series `json:"series"`
	// Claims are those of all runs, in the order of the newest that has them.
	Claims []Claim `json:"claims"`
	// Steps are those of all runs, in the same order.
	Steps   []Step   `json:"steps"`
	Flaky   []Flaky  `json:"flaky"`
	Margins []Margin `json:"margins"`
	Changes []Change `json:"changes"`
}

// Series are the runs on one kernel and accelerator.
type Series struct {
	Kernel      string `json:"kernel,omitempty"`
	Accelerator string `json:"accelerator,omitempty"`
	// Runs are their numbers.
	Runs []int `json:"runs"`
}

// Claim is a claim with its verdict in each run.
type Claim struct {
	ID    string `json:"id"`
	Where string `json:"where"`
	Text  string `json:"text"`
	// Verdicts are by the run's number.
	Verdicts map[int]plan.ClaimVerdict `json:"verdicts"`
}

// Changed tells whether the claim's verdicts, where it has any, are not all the
// same.
func (c Claim) Changed() bool {
	var one plan.ClaimVerdict
	for _, v := range c.Verdicts {
		if v == plan.NotJudged {
			continue
		}
		if one != "" && v != one {
			return true
		}
		one = v
	}
	return false
}

// Step is a step with what became of it in each run that has it.
type Step struct {
	ID    string       `json:"id"`
	Title string       `json:"title"`
	Runs  []StepInARun `json:"runs"`
}

// StepInARun is a step in one run.
type StepInARun struct {
	Number  int     `json:"number"`
	Verdict string  `json:"verdict"`
	Seconds float64 `json:"seconds"`
	// Use is of a step that passed; nil if it has no limit that is known.
	Use *Use `json:"use,omitempty"`
}

// Histories sorts runs by lab and tells the history of each, by the labs' names.
// A run that comes twice, as in a folder that was collected from another, counts
// once.
func Histories(runs []Run) []History {
	of := map[string][]Run{}
	for _, r := range once(runs) {
		of[r.lab()] = append(of[r.lab()], r)
	}
	all := make([]History, 0, len(of))
	for lab, runs := range of {
		all = append(all, newHistory(lab, runs))
	}
	slices.SortFunc(all, func(a, b History) int { return cmp.Compare(a.Lab, b.Lab) })
	return all
}

func newHistory(lab string, runs []Run) History {
	type both struct {
		run  Run
		line Line
	}
	all := make([]both, len(runs))
	for i, r := range runs {
		all[i] = both{r, LineOf(r)}
	}
	slices.SortStableFunc(all, func(a, b both) int {
		return cmp.Or(a.line.Started.Compare(b.line.Started), strings.Compare(a.line.Folder, b.line.Folder))
	})
	h := History{Lab: lab, Runs: make([]Line, len(all)), Series: []Series{}}
	sorted := make([]Run, len(all))
	for i := range all {
		all[i].line.Number = i + 1
		h.Runs[i], sorted[i] = all[i].line, all[i].run
	}
	for _, l := range h.Runs {
		if l.Kernel == "" && l.Accelerator == "" && l.Trouble != "" {
			continue // it does not know where it ran
		}
		i := slices.IndexFunc(h.Series, func(s Series) bool { return s.Kernel == l.Kernel && s.Accelerator == l.Accelerator })
		if i < 0 {
			i = len(h.Series)
			h.Series = append(h.Series, Series{Kernel: l.Kernel, Accelerator: l.Accelerator})
		}
		h.Series[i].Runs = append(h.Series[i].Runs, l.Number)
	}
	h.Claims, h.Steps = claimsOf(h.Runs, sorted), stepsOf(h.Runs, sorted)
	h.Flaky, h.Margins, h.Changes = flaky(h), margins(h), changes(h)
	return h
}

// once leaves out runs that are there already: those with the name and the time
// of another. Of two the one of which more was told is kept.
func once(runs []Run) []Run {
	type key struct {
		id    string
		begun time.Time
	}
	at := map[key]int{}
	var all []Run
	for _, r := range runs {
		k := key{r.Run.ID, r.Started.UTC()}
		i, known := at[k]
		switch {
		case k.id == "":
			all = append(all, r)
		case !known:
			at[k] = len(all)
			all = append(all, r)
		case r.Ended.After(all[i].Ended):
			all[i] = r
		}
	}
	return all
}

// run is the run with a number.
func (h History) run(number int) Line { return h.Runs[number-1] }

func claimsOf(lines []Line, runs []Run) []Claim {
	all := []Claim{}
	at := map[string]int{}
	for i := len(runs) - 1; i >= 0; i-- { // the newest says how it is called
		for _, c := range runs[i].Claims {
			j, known := at[c.ID]
			if !known {
				j = len(all)
				at[c.ID] = j
				all = append(all, Claim{ID: c.ID, Where: c.Where, Text: c.Text, Verdicts: map[int]plan.ClaimVerdict{}})
			}
			all[j].Verdicts[lines[i].Number] = c.Outcome()
		}
	}
	return all
}

func stepsOf(lines []Line, runs []Run) []Step {
	all := []Step{}
	at := map[string]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		for _, p := range runs[i].Plans {
			for _, s := range p.Steps {
				if _, own := lines[i].steps[s.ID]; own && at[s.ID] == 0 {
					all = append(all, Step{ID: s.ID, Title: s.Title})
					at[s.ID] = len(all)
				}
			}
		}
	}
	for i := range all {
		for _, l := range lines {
			if s, has := l.steps[all[i].ID]; has {
				one := StepInARun{Number: l.Number, Verdict: s.verdict.String(), Seconds: s.seconds}
				if s.use.Limit > 0 {
					one.Use = &s.use
				}
				all[i].Runs = append(all[i].Runs, one)
			}
		}
	}
	return all
}
