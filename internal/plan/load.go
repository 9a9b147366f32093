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
		Steps at[[]StepForm] `yaml:"steps,required"`
	}
	if err := strictyaml.Decode(name, data, "Plan", &f); err != nil {
		return Plan{}, err
	}
	var b Builder
	if !word.MatchString(f.Name.Value) {
		b.Slips.Addf(f.Name.Pos, "name %q must be %s", f.Name.Value, wordWords)
	}
	p := Plan{Name: f.Name.Value, Title: f.Title, Steps: b.Steps("steps", f.Steps)}
	if err := b.Slips.Err(); err != nil {
		return Plan{}, err
	}
	return p, nil
}

// StepForm is the YAML form of a Step, for files that hold steps.
type StepForm struct {
	Pos     strictyaml.Pos                  `yaml:",pos"`
	ID      at[string]                      `yaml:"id,required"`
	Title   string                          `yaml:"title,required"`
	Group   string                          `yaml:"group"`
	On      strictyaml.Words                `yaml:"on"`
	Do      *at[string]                     `yaml:"do"`
	Run     *at[string]                     `yaml:"run"`
	Root    *at[bool]                       `yaml:"root"`
	Timeout *at[duration]                   `yaml:"timeout"`
	Retry   *at[retryForm]                  `yaml:"retry"`
	Capture strictyaml.Entries[at[Pattern]] `yaml:"capture"`
	Checks  *at[[]checkForm]                `yaml:"checks"`
	Hint    string                          `yaml:"hint"`
}

type retryForm struct {
	Every at[duration] `yaml:"every,required"`
	Limit at[duration] `yaml:"limit,required"`
}

type checkForm struct {
	Pos      strictyaml.Pos `yaml:",pos"`
	Exit     *at[int]       `yaml:"exit"`
	Stdout   *at[textForm]  `yaml:"stdout"`
	Stderr   *at[textForm]  `yaml:"stderr"`
	Combined *at[textForm]  `yaml:"combined"`
}

type textForm struct {
	Equals      *at[string]  `yaml:"equals"`
	Contains    *at[string]  `yaml:"contains"`
	NotContains *at[string]  `yaml:"notContains"`
	Matches     *at[Pattern] `yaml:"matches"`
	NotMatches  *at[Pattern] `yaml:"notMatches"`
	Empty       *at[bool]    `yaml:"empty"`
}

type at[T any] = strictyaml.At[T]
