package plan

import (
	"regexp"
	"strings"
	"time"

	"labctl/internal/strictyaml"
)

// DefaultTimeout limits an attempt of a script that says no timeout.
const DefaultTimeout = time.Minute

type duration = time.Duration

var word = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

const wordWords = "lower-case letters, digits and - inside"

// Builder turns step forms into steps and collects what is wrong with them.
// Lists that one Builder builds belong together: ids and captures are unique
// over all of them. The zero value is ready.
type Builder struct {
	Slips strictyaml.Slips
	// Shuffled says that the steps of the next list run in any order, so that none
	// may need another.
	Shuffled bool

	ids, claims map[string]origin
	variables   map[string]*declaration
	// row is that of the table at hand; nil outside of tables.
	row *rowScope
	// ofRows are variables that only the rows of a table see, with its id.
	ofRows map[string]string
	// step is the id of the step at hand.
	step string
	// running are the background steps of the list at hand that no step has
	// stopped yet, stopped those that one has, by where that stands.
	running map[string]Step
	stopped map[string]strictyaml.Pos
}

// List is what a list of items becomes.
type List struct {
	Steps  []Step
	Tables []Table
	// Written are the steps as the file has them: those of a table once.
	Written []Written
}

// Written is a step's form, and what became of it; of a table's, in its first
// row.
type Written struct {
	Form StepForm
	Step Step
}

// Steps builds one list; key is what the file calls it.
func (b *Builder) Steps(key string, forms strictyaml.At[[]ItemForm]) List {
	b.running, b.stopped = map[string]Step{}, map[string]strictyaml.Pos{}
	if len(forms.Value) == 0 {
		b.Slips.Addf(forms.Pos, "%q is empty: it runs nothing", key)
	}
	var list List
	for _, f := range forms.Value {
		if f.Table != nil {
			b.table(*f.Table, &list)
			continue
		}
		s := b.build(*f.Step)
		list.Steps = append(list.Steps, s)
		list.Written = append(list.Written, Written{*f.Step, s})
	}
	return list
}

func (b *Builder) build(f StepForm) Step {
	s := Step{ID: f.ID.Value, Title: f.Title, Group: f.Group, Explain: f.Explain, Hint: f.Hint, Pos: f.Pos.String()}
	b.step = s.ID
	b.id(f.ID)
	if f.Timeout != nil {
		s.Timeout = b.positive(*f.Timeout, "timeout")
	}
	switch {
	case f.Do != nil:
		b.action(f, &s)
	case f.Stop != nil:
		b.stop(f, &s)
	default:
		b.script(f, &s)
	}
	return s
}

func (b *Builder) action(f StepForm, s *Step) {
	s.Do = f.Do.Value
	if s.Do == "" {
		b.Slips.Addf(f.Do.Pos, `"do" is empty`)
	}
	b.refuse(f, s, "this is an action", "on", "root", "background", "retry", "capture", "checks", "claims", "chart")
}

// refuse names keys of a step that do not go with what it is.
func (b *Builder) refuse(f StepForm, s *Step, why string, keys ...string) {
	there := map[string]bool{
		"on": f.On != nil, "root": f.Root != nil, "background": f.Background != nil, "retry": f.Retry != nil,
		"capture": f.Capture != nil, "checks": f.Checks != nil, "claims": f.Claims != nil, "chart": f.Chart != nil,
	}
	for _, key := range keys {
		if there[key] {
			b.Slips.Addf(f.Pos, `step %q: %q does not belong here: %s`, s.ID, key, why)
		}
	}
}

func (b *Builder) script(f StepForm, s *Step) {
	s.Run = f.Run.Value
	if strings.TrimSpace(s.Run) == "" {
		b.Slips.Addf(f.Run.Pos, `"run" is empty`)
	}
	b.runs(*f.Run)
	if len(f.On) == 0 {
		b.Slips.Addf(f.Pos, `step %q does not say where it runs: it needs "on"`, s.ID)
	}
	seen := map[string]bool{}
	for _, on := range f.On {
		switch {
		case on.Value == "":
			b.Slips.Addf(on.Pos, `"on" has an empty word`)
		case seen[on.Value]:
			b.Slips.Addf(on.Pos, `"on" says %q twice`, on.Value)
		}
		seen[on.Value] = true
		s.On = append(s.On, on.Value)
	}
	if f.Root != nil {
		s.Root = f.Root.Value
	}
	if s.Timeout == 0 {
		s.Timeout = DefaultTimeout
	}
	if f.Background != nil {
		b.background(f, s)
		return
	}
	if f.Retry != nil {
		s.Retry = b.retry(f.Retry.Value)
	}
	b.judged(f, s)
}

// judged is what a step says of its output.
func (b *Builder) judged(f StepForm, s *Step) {
	b.capture(f, s)
	if f.Checks != nil {
		s.Checks = b.checks("checks", *f.Checks)
	}
	b.claimsOf(f, s)
	b.chart(f, s)
}

func (b *Builder) checks(key string, forms at[[]checkForm]) []Check {
	if len(forms.Value) == 0 {
		b.Slips.Addf(forms.Pos, "%q is empty: it asserts nothing", key)
	}
	checks := make([]Check, 0, len(forms.Value))
	for _, c := range forms.Value {
		checks = append(checks, b.check(c))
	}
	return checks
}

func (b *Builder) retry(f retryForm) Retry {
	r := Retry{Every: b.positive(f.Every, "every"), Limit: b.positive(f.Limit, "limit")}
	if r.Every >= r.Limit {
		b.Slips.Addf(f.Every.Pos, `"every" must be less than "limit", or nothing is tried again`)
	}
	if f.Stay != nil {
		r.Stay = b.positive(*f.Stay, "stay")
		switch {
		case r.Stay >= r.Limit:
			b.Slips.Addf(f.Stay.Pos, `"stay" must be less than "limit", or it cannot pass`)
		case r.Stay <= r.Every:
			b.Slips.Addf(f.Stay.Pos, `"stay" must be more than "every", or nothing is tried meanwhile`)
		}
	}
	return r
}

func (b *Builder) positive(d at[duration], key string) duration {
	if d.Value <= 0 {
		b.Slips.Addf(d.Pos, "%q must be more than nothing", key)
	}
	return d.Value
}
