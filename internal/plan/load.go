package plan

import (
	"labctl/internal/strictyaml"
)

// Parse reads a plan file. The name stands for the file in errors, which are
// *strictyaml.Error with file:line:column.
func Parse(name string, data []byte) (Plan, error) {
	var f struct {
		Name  at[string]     `yaml:"name,required"`
		Title string         `yaml:"title"`
		Steps at[[]ItemForm] `yaml:"steps,required"`
	}
	if err := strictyaml.Decode(name, data, "Plan", &f); err != nil {
		return Plan{}, err
	}
	var b Builder
	for _, s := range f.Steps.Value {
		s.refuseInPlans(&b.Slips)
	}
	if !word.MatchString(f.Name.Value) {
		b.Slips.Addf(f.Name.Pos, "name %q must be %s", f.Name.Value, wordWords)
	}
	p := Plan{Name: f.Name.Value, Title: f.Title, Steps: b.Steps("steps", f.Steps).Steps}
	b.Unused()
	if err := b.Slips.Err(); err != nil {
		return Plan{}, err
	}
	return p, nil
}
