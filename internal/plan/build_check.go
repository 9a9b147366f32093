package plan

const (
	assertsNothing = "it asserts nothing"
	neverHolds     = "it can never hold"
)

func (b *Builder) check(f checkForm) Check {
	c := Check{Pos: f.Pos.String()}
	if f.Exit != nil {
		c.Exit = &f.Exit.Value
		if *c.Exit < 0 || *c.Exit > 255 {
			b.Slips.Addf(f.Exit.Pos, "exit code %d is outside 0 to 255", *c.Exit)
		}
	}
	for _, stream := range []struct {
		form *at[textForm]
		to   **Text
	}{{f.Stdout, &c.Stdout}, {f.Stderr, &c.Stderr}, {f.Combined, &c.Combined}} {
		if stream.form != nil {
			*stream.to = b.text(stream.form.Value)
		}
	}
	if f.Value != nil {
		c.Value = b.value(f.Value.Value)
	}
	if f.Same != nil {
		c.Same = b.same(f)
	}
	if f.Node != nil {
		c.Node = b.filled("node", f.Node)
	}
	return c
}

func (b *Builder) value(f valueForm) *Value {
	if len(references(f.Of.Value.Text)) == 0 {
		b.Slips.Addf(f.Of.Pos, `"of" has no variable: the check says the same whatever came`)
	}
	b.uses(f.Of.Value.Text, f.Of.Pos)
	return &Value{Of: f.Of.Value, Text: *b.text(f.textForm)}
}

func (b *Builder) same(f checkForm) *Pattern {
	p := b.pattern(f.Same, "same", assertsNothing)
	if p.Regexp != nil && p.NumSubexp() > 1 {
		b.Slips.Addf(f.Same.Pos, `"same": the pattern has several groups; write (?:…) for those that are not compared`)
	}
	if f.Node != nil {
		b.Slips.Addf(f.Node.Pos, `"same" compares all nodes of the step: "node" leaves one`)
	}
	return p
}

func (b *Builder) text(f textForm) *Text {
	t := b.plain(f.plainForm)
	if f.JSON != nil {
		t.JSON = &JSON{Query: f.JSON.Value.Query.Value, Text: b.plain(f.JSON.Value.plainForm)}
	}
	return t
}

// plain builds the assertion that is set.
func (b *Builder) plain(f plainForm) *Text {
	var t Text
	t.Equals = b.literal(f.Equals, "equals", `write "empty: true"`)
	t.Not = b.literal(f.Not, "not", `write "empty: false"`)
	t.Contains = b.literal(f.Contains, "contains", assertsNothing)
	t.NotContains = b.literal(f.NotContains, "notContains", neverHolds)
	t.Matches = b.pattern(f.Matches, "matches", assertsNothing)
	t.NotMatches = b.pattern(f.NotMatches, "notMatches", neverHolds)
	if f.Empty != nil {
		t.Empty = &f.Empty.Value
	}
	t.Lines = b.lines("lines", f.Lines)
	t.AnyOrder = b.lines("anyOrder", f.AnyOrder)
	t.Count = b.count(f.Count)
	t.Number = b.rangeOf("number", f.Number)
	t.Duration = b.rangeOf("duration", f.Duration)
	t.IP = b.ip(f.IP)
	t.MAC = b.typed("mac", f.MAC, isMAC)
	t.CIDR = b.typed("cidr", f.CIDR, isNetwork)
	return &t
}

func (b *Builder) literal(t *at[Template], key, empty string) *Template {
	if t == nil {
		return nil
	}
	b.uses(t.Value.Text, t.Pos)
	if Normalise(t.Value.Text) == "" {
		b.Slips.Addf(t.Pos, "%q is empty: %s", key, empty)
	}
	return &t.Value
}

func (b *Builder) pattern(p *at[Pattern], key, anything string) *Pattern {
	if p == nil {
		return nil
	}
	b.uses(p.Value.written, p.Pos)
	if p.Value.Regexp != nil && p.Value.matchesAnything() {
		b.Slips.Addf(p.Pos, "%q: pattern %q matches anything: %s", key, p.Value.Expression(), anything)
	}
	return &p.Value
}
