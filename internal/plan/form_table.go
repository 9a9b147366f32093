package plan

import (
	"slices"

	"labctl/internal/strictyaml"
)

// ItemForm is the YAML form of an item in a list of steps: a step, or a table of
// them. Just one field is set.
type ItemForm struct {
	Step  *StepForm
	Table *TableForm
}

// Choose takes what has a key of a table's for a table.
func (f *ItemForm) Choose(keys []string) any {
	for _, key := range []string{"table", "rows", "steps"} {
		if slices.Contains(keys, key) {
			f.Table = &TableForm{}
			return f.Table
		}
	}
	f.Step = &StepForm{}
	return f.Step
}

// Choices are both.
func (f *ItemForm) Choices() []any { return []any{StepForm{}, TableForm{}} }

// TableForm is the YAML form of a Table.
type TableForm struct {
	Pos   strictyaml.Pos    `yaml:",pos"`
	ID    at[string]        `yaml:"table,required" doc:"The table's id: lower-case letters, digits and - inside; unique in the file, stable over its life."`
	Title at[string]        `yaml:"title,required" doc:"For people: the heading over the table and its steps."`
	Plot  *at[plotForm]     `yaml:"plot" doc:"Draws one column or capture against another, in report.html."`
	Rows  at[[]at[rowForm]] `yaml:"rows,required" doc:"NAME: value of each row; all have the same names in the same order. The steps see them as variables."`
	Steps at[[]innerForm]   `yaml:"steps,required" doc:"Run for each row; ${NAME} in ids and texts stands for the row's value."`
}

type rowForm = strictyaml.Entries[at[string]]

// innerForm is an item of a table's steps. What is a table there is decoded, and
// refused in better words than those for an unknown key.
type innerForm struct{ ItemForm }

// Choices are steps alone.
func (f *innerForm) Choices() []any { return []any{StepForm{}} }

// refuseInPlans refuses what belongs to a lab.
func (f ItemForm) refuseInPlans(slips *strictyaml.Slips) {
	if f.Table != nil {
		slips.Addf(f.Table.ID.Pos, `"table" belongs to a lab, and this is a plan: write its steps`)
		return
	}
	f.Step.refuseInPlans(slips)
}
