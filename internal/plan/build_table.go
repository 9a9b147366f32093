package plan

import (
	"maps"
	"slices"
	"strings"

	"labctl/internal/strictyaml"
)

// rowScope is the row whose steps are being built.
type rowScope struct {
	*Row
	columns []string
	// apart is the column that tells the rows apart best.
	apart string
}

// table builds the steps of a table once for each of its rows.
func (b *Builder) table(f TableForm, list *List) {
	t := Table{ID: f.ID.Value, Title: b.filled("title", &f.Title)}
	b.id(f.ID)
	if b.Shuffled {
		b.Slips.Addf(f.ID.Pos, `the steps are shuffled, and those of table %q go row by row: leave out "shuffle"`, t.ID)
		return
	}
	forms := b.inner(f)
	if !b.rows(f, &t) || len(forms) == 0 {
		return
	}
	apart := tellsApart(t)
	for _, row := range t.Rows {
		b.row = &rowScope{Row: row, columns: t.Columns, apart: apart}
		steps := b.inRow(f, forms)
		b.row = nil
		if row.Number == 1 {
			for i, form := range forms {
				list.Written = append(list.Written, Written{form, steps[i]})
				t.Steps = append(t.Steps, form.written(steps[i]))
				for _, c := range form.Capture {
					t.Captures = append(t.Captures, c.Key.Value)
				}
			}
		}
		list.Steps = append(list.Steps, steps...)
	}
	b.plot(f, forms, &t)
	list.Tables = append(list.Tables, t)
}

// inner are the forms of the table's steps, which are steps alone.
func (b *Builder) inner(f TableForm) []StepForm {
	if len(f.Steps.Value) == 0 {
		b.Slips.Addf(f.Steps.Pos, `"steps" is empty: it runs nothing`)
	}
	var forms []StepForm
	for _, item := range f.Steps.Value {
		if item.Table != nil {
			b.Slips.Addf(item.Table.Pos, "table %q stands in table %q: write one table with the rows of both", item.Table.ID.Value, f.ID.Value)
			continue
		}
		if item.Step.Group != "" {
			b.Slips.Addf(item.Step.Pos, `step %q: "group" does not belong here: the table's title is the heading of its steps`, item.Step.ID.Value)
		}
		item.Step.Group = f.Title.Value
		forms = append(forms, *item.Step)
	}
	return forms
}

// rows notes the rows and tells whether there are any that can be used.
func (b *Builder) rows(f TableForm, t *Table) bool {
	before := b.Slips.Len()
	if len(f.Rows.Value) == 0 {
		b.Slips.Addf(f.Rows.Pos, `"rows" is empty: it runs nothing`)
	}
	for i, form := range f.Rows.Value {
		row := &Row{Table: t.ID, Number: i + 1, Vars: map[string]string{}}
		var names []string
		for _, e := range form.Value {
			names = append(names, e.Key.Value)
			row.Vars[e.Key.Value] = e.Value.Value
		}
		if len(names) == 0 {
			b.Slips.Addf(form.Pos, "row %d is empty: write NAME: value", row.Number)
		}
		if i == 0 {
			t.Columns = names
		} else {
			b.sameColumns(form, row, t.Columns)
		}
		t.Rows = append(t.Rows, row)
	}
	return b.Slips.Len() == before
}

// sameColumns holds a row to the names of the first.
func (b *Builder) sameColumns(form at[rowForm], row *Row, columns []string) {
	before := b.Slips.Len()
	var names []string
	for _, e := range form.Value {
		names = append(names, e.Key.Value)
		if !slices.Contains(columns, e.Key.Value) {
			b.Slips.Addf(e.Key.Pos, "row %d has %q, and row 1 has not: %s", row.Number, e.Key.Value, strictyaml.Suggest(e.Key.Value, columns))
		}
	}
	if b.Slips.Len() > before {
		return // a misspelt name is one slip, not also a missing one
	}
	for _, name := range columns {
		if _, ok := row.Vars[name]; !ok && len(names) > 0 {
			b.Slips.Addf(form.Pos, "row %d has no %q, and row 1 has", row.Number, name)
		}
	}
	if b.Slips.Len() == before && len(names) > 0 && !slices.Equal(names, columns) {
		b.Slips.Addf(form.Pos, "row %d has the names of row 1 in another order: write %s", row.Number, strings.Join(columns, ", "))
	}
}

// inRow builds the steps of the row at hand. What they capture and leave running
// is the row's own. What is wrong in each row is told once.
func (b *Builder) inRow(f TableForm, forms []StepForm) []Step {
	variables, running, stopped, slips := b.variables, b.running, b.stopped, b.Slips
	b.variables, b.running, b.stopped, b.Slips = maps.Clone(variables), map[string]Step{}, map[string]strictyaml.Pos{}, strictyaml.Slips{}
	for _, e := range f.Rows.Value[0].Value {
		b.declare("column", "", e.Key)
	}
	var steps []Step
	for _, form := range forms {
		s := b.build(b.fill(form))
		s.Row = b.row.Row
		steps = append(steps, s)
	}
	for i, s := range steps {
		if _, runs := b.running[s.ID]; runs && s.Background != nil {
			b.Slips.Addf(forms[i].Background.Pos, "step %q runs on after its row: add a step to the table that stops it", s.ID)
		}
	}
	if b.ofRows == nil {
		b.ofRows = map[string]string{}
	}
	for name := range b.variables {
		if variables[name] == nil {
			b.ofRows[name] = f.ID.Value
		}
	}
	own := b.Slips
	b.variables, b.running, b.stopped, b.Slips = variables, running, stopped, slips
	b.Slips.Adopt(own)
	return steps
}
