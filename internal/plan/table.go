package plan

import "maps"

// Table is a list of steps that is run once for each row of a table. The steps
// that it makes are in the plan as any others, each with its Row.
type Table struct {
	// ID is unique in the lab, as a step's is.
	ID    string
	Title string
	// Columns are the names of the rows' values, Captures those of what the steps
	// capture, in the order of the file.
	Columns, Captures []string
	// Rows in their order; there is at least one.
	Rows []*Row
	// Plot is how reports draw the rows; nil if they do not.
	Plot *Plot
	// Steps are as they were written, with ${NAME} where a row's value goes.
	Steps []Step
}

// Row is one row of a table. Its steps share it.
type Row struct {
	// Table is the table's id, Number counts from 1.
	Table  string
	Number int
	// Vars are the row's values by column. The row's steps see them as variables.
	Vars map[string]string
}

// RowKey names a row of a lab.
type RowKey struct {
	Table  string
	Number int
}

// Key names the row.
func (r Row) Key() RowKey { return RowKey{r.Table, r.Number} }

// Captures holds what the steps of each row have captured while a plan runs.
type Captures map[RowKey]map[string]string

// Vars are the variables that a step sees, of all those of the run: its row's
// values, and what its row's steps have captured, lie over them. The caller must
// not change them.
func (c Captures) Vars(s Step, run map[string]string) map[string]string {
	if s.Row == nil {
		return run
	}
	all := maps.Clone(s.Row.Vars)
	maps.Copy(all, c[s.Row.Key()])
	for name, value := range run {
		if _, own := all[name]; !own {
			all[name] = value
		}
	}
	return all
}

// Add notes what a step has captured: for its row if it has one, else for the
// run.
func (c Captures) Add(s Step, captured, run map[string]string) {
	if s.Row == nil {
		maps.Copy(run, captured)
		return
	}
	key := s.Row.Key()
	if c[key] == nil {
		c[key] = map[string]string{}
	}
	maps.Copy(c[key], captured)
}
