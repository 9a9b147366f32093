package journal

import (
	"maps"

	"labctl/internal/plan"
)

// TableInfo is a table of steps as the lab has it.
type TableInfo struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Columns are the names of the rows' values, Captures those of what their steps
	// capture, in the lab's order.
	Columns  []string `json:"columns"`
	Captures []string `json:"captures,omitempty"`
	// Plot is how reports draw the rows; nil if they do not.
	Plot *plan.Plot `json:"plot,omitempty"`
	Rows []RowInfo  `json:"rows"`
}

// RowInfo is one row of a table.
type RowInfo struct {
	// Values are the row's by column.
	Values map[string]string `json:"values"`
	// Steps are the ids of those that the row has become.
	Steps []string `json:"steps"`
}

// TableResult is a table with what became of its rows.
type TableResult struct {
	ID       string      `json:"id"`
	Title    string      `json:"title"`
	Columns  []string    `json:"columns"`
	Captures []string    `json:"captures,omitempty"`
	Plot     *plan.Plot  `json:"plot,omitempty"`
	Rows     []RowResult `json:"rows"`
}

// RowResult is one row with what became of it.
type RowResult struct {
	RowInfo
	// Captured is what its steps have captured; secrets are masked.
	Captured map[string]string `json:"captured,omitempty"`
	// Verdict is the worst of its steps. It is no pass while one of them was not
	// run, or not asked for, though all others passed.
	Verdict string `json:"verdict"`
	// At is the first step that did not pass, or was not run where others were;
	// empty if there is none. A step that nobody asked for is none.
	At string `json:"at,omitempty"`
	// Seconds is what its steps took.
	Seconds float64 `json:"seconds"`
}

// tables are the lab's with what became of their steps.
func tables(infos []TableInfo, plans []PlanResult) []TableResult {
	steps := map[string]StepResult{}
	for _, p := range plans {
		if p.Phase == Drill {
			continue // it is about the learner's fix
		}
		for _, s := range p.Steps {
			steps[s.ID] = s
		}
	}
	var all []TableResult
	for _, info := range infos {
		t := TableResult{ID: info.ID, Title: info.Title, Columns: info.Columns, Captures: info.Captures, Plot: info.Plot, Rows: []RowResult{}}
		for _, row := range info.Rows {
			t.Rows = append(t.Rows, rowResult(row, steps))
		}
		all = append(all, t)
	}
	return all
}

func rowResult(info RowInfo, steps map[string]StepResult) RowResult {
	row := RowResult{RowInfo: info}
	worst, notRun, skipped := plan.NotRun, "", false
	for _, id := range info.Steps {
		s, told := steps[id]
		verdict := plan.NotRun
		if told {
			verdict = plan.ParseVerdict(s.Verdict)
		}
		worst = worst.Worse(verdict)
		if verdict > plan.Pass && row.At == "" {
			row.At = id
		}
		if verdict == plan.NotRun && notRun == "" {
			notRun = id
		}
		skipped = skipped || verdict == plan.Skipped
		row.Seconds += s.Seconds
		if len(s.Captured) > 0 && row.Captured == nil {
			row.Captured = map[string]string{}
		}
		maps.Copy(row.Captured, s.Captured)
	}
	switch {
	case worst != plan.Pass:
	case notRun != "":
		worst, row.At = plan.NotRun, notRun
	case skipped:
		worst = plan.Skipped // nobody asked for all of it
	}
	row.Verdict = worst.String()
	return row
}
