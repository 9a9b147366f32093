package plan

import (
	"maps"
	"regexp"
	"slices"

	"labctl/internal/remote"
	"labctl/internal/strictyaml"
)

// needed are variables that every script lives by; a capture over one of them
// would break all that come later.
var needed = []string{"PATH", "HOME", "USER", "SHELL", "PWD", "IFS", "ENV", "BASH_ENV", "LC_ALL", "LANG", "TZ", "COLUMNS", "TERM"}

// declaration is where a variable is from.
type declaration struct {
	what string
	pos  strictyaml.Pos
	// step captures it; empty for those that are there from the start.
	step string
	used bool
}

// Var notes a variable that scripts see from the start.
func (b *Builder) Var(name strictyaml.At[string]) { b.declare("variable", "", name) }

// declare holds a name to being one that scripts can have, once.
func (b *Builder) declare(what, step string, name at[string]) {
	before := b.Slips.Len()
	if slices.Contains(needed, name.Value) {
		b.Slips.Addf(name.Pos, "%s %q would hide the variable that scripts live by", what, name.Value)
	} else if err := (remote.Command{Env: map[string]string{name.Value: ""}}).Validate(); err != nil {
		b.Slips.Addf(name.Pos, "%s: %s", what, err)
	}
	if b.variables == nil {
		b.variables = map[string]*declaration{}
	}
	if first, dup := b.variables[name.Value]; dup {
		b.Slips.Addf(name.Pos, "%s %q is taken in line %d", what, name.Value, first.pos.Line)
		return
	}
	// One slip for a name is enough.
	b.variables[name.Value] = &declaration{what: what, pos: name.Pos, step: step, used: b.Slips.Len() > before}
}

// uses notes the variables in a text of the step at hand; one that is not
// declared up to there is a slip.
func (b *Builder) uses(text string, pos strictyaml.Pos) {
	for _, name := range references(text) {
		if b.variables[name] == nil {
			if table, ok := b.ofRows[name]; ok {
				b.Slips.Addf(pos, "variable %q is not defined here: only the rows of table %q have it", name, table)
				continue
			}
			valid := slices.Sorted(maps.Keys(b.variables))
			b.Slips.Addf(pos, "variable %q is not defined here: %s", name, strictyaml.Suggest(name, valid))
			continue
		}
		b.mention(name, pos)
	}
}

// inScript finds what a script may take from its environment: $NAME, ${NAME…},
// and what awk and Python have for it.
var inScript = regexp.MustCompile(`(?:\$\{?[!#]?|(?:ENVIRON|environ|getenv|printenv)\W{1,8})([A-Za-z_][A-Za-z0-9_]*)`)

// runs notes the variables that a script mentions. Those that it makes itself
// are no slip.
func (b *Builder) runs(script at[string]) {
	for _, m := range inScript.FindAllStringSubmatch(script.Value, -1) {
		if b.variables[m[1]] != nil {
			b.mention(m[1], script.Pos)
		}
	}
}

func (b *Builder) mention(name string, pos strictyaml.Pos) {
	d := b.variables[name]
	d.used = true
	if b.Shuffled && d.step != "" && d.step != b.step {
		b.Slips.Addf(pos, `the steps are shuffled, and this needs %q of step %q`, name, d.step)
	}
}

// Unused adds a slip for each variable that nothing uses. It comes after all
// lists.
func (b *Builder) Unused() {
	for name, d := range b.variables {
		if !d.used {
			b.Slips.Addf(d.pos, "nothing uses the %s %q: no later script has $%s, and no check ${%s}", d.what, name, name, name)
		}
	}
}

func (b *Builder) capture(f StepForm, s *Step) {
	for _, c := range f.Capture {
		if p := c.Value.Value.Pattern; p.Value.Regexp != nil {
			if p.Value.written == "" {
				b.Slips.Addf(p.Pos, "capture %q: the pattern is empty: it captures nothing", c.Key.Value)
			}
			b.uses(p.Value.written, p.Pos)
			if p.Value.NumSubexp() > 1 {
				b.Slips.Addf(p.Pos, "capture %q: the pattern has several groups; write (?:…) for those that are not captured", c.Key.Value)
			}
		}
	}
	for _, c := range f.Capture {
		b.declare("capture", s.ID, c.Key)
		if s.Capture == nil {
			s.Capture = map[string]Capture{}
		}
		s.Capture[c.Key.Value] = Capture{Pattern: c.Value.Value.Pattern.Value, Secret: c.Value.Value.Secret}
	}
}
