package plan

import "labctl/internal/strictyaml"

func (b *Builder) check(f checkForm) Check {
	c := Check{Pos: f.Pos.String()}
	given := 0
	if f.Exit != nil {
		given++
		c.Exit = &f.Exit.Value
		if *c.Exit < 0 || *c.Exit > 255 {
			b.Slips.Addf(f.Exit.Pos, "exit code %d is outside 0 to 255", *c.Exit)
		}
	}
	stream := func(t *at[textForm], key string) *Text {
		if t == nil {
			return nil
		}
		given++
		return b.text(key, t.Value, t.Pos)
	}
	c.Stdout = stream(f.Stdout, "stdout")
	c.Stderr = stream(f.Stderr, "stderr")
	c.Combined = stream(f.Combined, "combined")
	if given != 1 {
		b.Slips.Addf(f.Pos, "a check says one of exit, stdout, stderr, combined; this one says %d", given)
	}
	return c
}

func (b *Builder) text(key string, f textForm, pos strictyaml.Pos) *Text {
	var t Text
	given := 0
	literal := func(s *at[string], key, empty string) *string {
		if s == nil {
			return nil
		}
		given++
		if Normalise(s.Value) == "" {
			b.Slips.Addf(s.Pos, "%q is empty: %s", key, empty)
		}
		return &s.Value
	}
	pattern := func(p *at[Pattern], key, anything string) *Pattern {
		if p == nil {
			return nil
		}
		given++
		if p.Value.matchesAnything() {
			b.Slips.Addf(p.Pos, "%q: pattern %q matches anything: %s", key, p.Value.Expression(), anything)
		}
		return &p.Value
	}
	const nothing, never = "it asserts nothing", "it can never hold"
	t.Equals = literal(f.Equals, "equals", `write "empty: true"`)
	t.Contains = literal(f.Contains, "contains", nothing)
	t.NotContains = literal(f.NotContains, "notContains", never)
	t.Matches = pattern(f.Matches, "matches", nothing)
	t.NotMatches = pattern(f.NotMatches, "notMatches", never)
	if f.Empty != nil {
		given++
		t.Empty = &f.Empty.Value
	}
	if given != 1 {
		b.Slips.Addf(pos, "%q says one of equals, contains, notContains, matches, notMatches, empty; this one says %d", key, given)
	}
	return &t
}
