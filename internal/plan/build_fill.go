package plan

import (
	"slices"
	"strings"

	"labctl/internal/strictyaml"
)

// fill puts the values of the row at hand into the ids and texts of a step. Its
// script and its checks stay as they are: the values are variables there.
func (b *Builder) fill(f StepForm) StepForm {
	f.ID.Value = b.name("id", f.ID)
	if f.Stop != nil {
		f.Stop = &at[string]{Value: b.name("stop", *f.Stop), Pos: f.Stop.Pos}
	}
	for _, text := range []*string{&f.Title, &f.Explain, &f.Hint} {
		*text = b.prose(*text, f.Pos)
	}
	if f.Chart != nil && f.Chart.Value.Title != nil {
		chart := *f.Chart
		title := *chart.Value.Title
		title.Value = b.prose(title.Value, title.Pos)
		chart.Value.Title = &title
		f.Chart = &chart
	}
	if f.Claims == nil {
		return f
	}
	claims := slices.Clone(f.Claims.Value)
	for i := range claims {
		c := &claims[i]
		c.ID.Value = b.name("id", c.ID)
		c.Where.Value = b.prose(c.Where.Value, c.Where.Pos)
		for _, text := range []**at[string]{&c.Text, &c.Asks, &c.Because} {
			if *text != nil {
				*text = &at[string]{Value: b.prose((*text).Value, (*text).Pos), Pos: (*text).Pos}
			}
		}
	}
	f.Claims = &at[[]claimForm]{Value: claims, Pos: f.Claims.Pos}
	return f
}

// name fills an id, in which each ${NAME} must be a column.
func (b *Builder) name(key string, text at[string]) string {
	for _, name := range references(text.Value) {
		if _, ok := b.row.Vars[name]; !ok {
			b.Slips.Addf(text.Pos, "%q: table %q has no column %q: %s", key, b.row.Table, name, strictyaml.Suggest(name, b.row.columns))
		}
	}
	// The name of an unknown column stays, as a word: one slip for it is enough.
	return b.values(text.Value, func(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") })
}

// prose fills a text for people, which may show a ${NAME} of its own. One that
// is nearly a column is a slip.
func (b *Builder) prose(text string, pos strictyaml.Pos) string {
	for _, name := range references(text) {
		_, ok := b.row.Vars[name]
		if near := strictyaml.Nearest(name, b.row.columns); !ok && near != "" {
			b.Slips.Addf(pos, "table %q has no column %q: did you mean %q? $${%s} is the text ${%s}", b.row.Table, name, near, name, name)
		}
	}
	return b.values(text, func(name string) string { return "${" + name + "}" })
}

// values puts the row's values into a text; other says what stands for names that
// are no columns.
func (b *Builder) values(text string, other func(name string) string) string {
	return reference.ReplaceAllStringFunc(text, func(m string) string {
		if literal, ok := strings.CutPrefix(m, "$$"); ok {
			return "$" + literal
		}
		name := m[2 : len(m)-1]
		if value, ok := b.row.Vars[name]; ok {
			return value
		}
		return other(name)
	})
}

// written is a step that a row made, with its ids and texts as the file has them.
func (f StepForm) written(s Step) Step {
	s.Row = nil
	s.ID, s.Title, s.Explain, s.Hint = f.ID.Value, f.Title, f.Explain, f.Hint
	if f.Stop != nil {
		s.Stop = f.Stop.Value
	}
	if s.Chart != nil {
		s.Chart = &Chart{Title: f.Title}
		if title := f.Chart.Value.Title; title != nil {
			s.Chart.Title = title.Value
		}
	}
	s.Claims = slices.Clone(s.Claims)
	for i := range s.Claims {
		c, form := &s.Claims[i], f.Claims.Value[i]
		c.ID, c.Where = form.ID.Value, form.Where.Value
		for _, text := range []*at[string]{form.Text, form.Asks} {
			if text != nil {
				c.Text = text.Value
			}
		}
		if form.Because != nil {
			c.Because = form.Because.Value
		}
	}
	return s
}

// tellsApart is the first column that has another value in each row, or the
// first of all.
func tellsApart(t Table) string {
	for _, column := range t.Columns {
		seen := map[string]bool{}
		for _, row := range t.Rows {
			seen[row.Vars[column]] = true
		}
		if len(seen) == len(t.Rows) {
			return column
		}
	}
	return t.Columns[0]
}
