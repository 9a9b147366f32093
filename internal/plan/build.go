package plan

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"labctl/internal/remote"
	"labctl/internal/strictyaml"
)

// DefaultTimeout limits an attempt of a script that says no timeout.
const DefaultTimeout = time.Minute

type duration = time.Duration

var word = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

const wordWords = "lower-case letters, digits and - inside"

// needed are variables that every script lives by; a capture over one of them
// would break all that come later.
var needed = []string{"PATH", "HOME", "USER", "SHELL", "PWD", "IFS", "ENV", "BASH_ENV", "LC_ALL", "LANG", "TZ", "COLUMNS", "TERM"}

// Builder turns step forms into steps and collects what is wrong with them.
// Lists that one Builder builds belong together: ids and captures are unique
// over all of them. The zero value is ready.
type Builder struct {
	Slips strictyaml.Slips

	ids, captures map[string]strictyaml.Pos
}

// Steps builds one list; key is what the file calls it.
func (b *Builder) Steps(key string, forms strictyaml.At[[]StepForm]) []Step {
	if b.ids == nil {
		b.ids, b.captures = map[string]strictyaml.Pos{}, map[string]strictyaml.Pos{}
	}
	if len(forms.Value) == 0 {
		b.Slips.Addf(forms.Pos, "%q is empty: it runs nothing", key)
	}
	steps := make([]Step, 0, len(forms.Value))
	for _, f := range forms.Value {
		steps = append(steps, b.step(f))
	}
	return steps
}

func (b *Builder) step(f StepForm) Step {
	s := Step{ID: f.ID.Value, Title: f.Title, Group: f.Group, Hint: f.Hint, Pos: f.Pos.String()}
	if !word.MatchString(s.ID) {
		b.Slips.Addf(f.ID.Pos, "id %q must be %s", s.ID, wordWords)
	}
	if first, dup := b.ids[s.ID]; dup {
		b.Slips.Addf(f.ID.Pos, "id %q is taken by the step in line %d", s.ID, first.Line)
	} else {
		b.ids[s.ID] = f.ID.Pos
	}
	if f.Timeout != nil {
		s.Timeout = b.positive(*f.Timeout, "timeout")
	}
	switch {
	case f.Do == nil && f.Run == nil:
		b.Slips.Addf(f.Pos, `step %q does nothing: it needs "run" or "do"`, s.ID)
	case f.Do != nil && f.Run != nil:
		b.Slips.Addf(f.Do.Pos, `step %q has both "run" and "do"`, s.ID)
	case f.Do != nil:
		b.action(f, &s)
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
	refuse := func(there bool, key string) {
		if there {
			b.Slips.Addf(f.Do.Pos, `step %q: %q belongs to a script, and this is an action`, s.ID, key)
		}
	}
	refuse(f.On != nil, "on")
	refuse(f.Root != nil, "root")
	refuse(f.Retry != nil, "retry")
	refuse(f.Capture != nil, "capture")
	refuse(f.Checks != nil, "checks")
}

func (b *Builder) script(f StepForm, s *Step) {
	s.Run = f.Run.Value
	if strings.TrimSpace(s.Run) == "" {
		b.Slips.Addf(f.Run.Pos, `"run" is empty`)
	}
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
	if f.Retry != nil {
		s.Retry = Retry{
			Every: b.positive(f.Retry.Value.Every, "every"),
			Limit: b.positive(f.Retry.Value.Limit, "limit"),
		}
		if s.Retry.Every >= s.Retry.Limit {
			b.Slips.Addf(f.Retry.Value.Every.Pos, `"every" must be less than "limit", or nothing is tried again`)
		}
	}
	b.capture(f, s)
	if f.Checks != nil {
		if len(f.Checks.Value) == 0 {
			b.Slips.Addf(f.Checks.Pos, `"checks" is empty: it asserts nothing`)
		}
		for _, c := range f.Checks.Value {
			s.Checks = append(s.Checks, b.check(c))
		}
	}
}

func (b *Builder) positive(d at[duration], key string) duration {
	if d.Value <= 0 {
		b.Slips.Addf(d.Pos, "%q must be more than nothing", key)
	}
	return d.Value
}

func (b *Builder) capture(f StepForm, s *Step) {
	for _, c := range f.Capture {
		name := c.Key.Value
		if slices.Contains(needed, name) {
			b.Slips.Addf(c.Key.Pos, "capture %q would hide the variable that scripts live by", name)
		} else if err := (remote.Command{Env: map[string]string{name: ""}}).Validate(); err != nil {
			b.Slips.Addf(c.Key.Pos, "capture: %s", err)
		}
		if first, dup := b.captures[name]; dup {
			b.Slips.Addf(c.Key.Pos, "capture %q is taken in line %d", name, first.Line)
		} else {
			b.captures[name] = c.Key.Pos
		}
		if c.Value.Value.Regexp != nil && c.Value.Value.NumSubexp() > 1 {
			b.Slips.Addf(c.Value.Pos, "capture %q: the pattern has several groups; write (?:…) for those that are not captured", name)
		}
		if s.Capture == nil {
			s.Capture = map[string]Pattern{}
		}
		s.Capture[name] = c.Value.Value
	}
}
