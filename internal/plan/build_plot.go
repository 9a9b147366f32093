package plan

import (
	"slices"
	"strings"

	"labctl/internal/strictyaml"
)

// plot builds what a table says of its picture. The table has its rows and the
// names of its captures.
func (b *Builder) plot(f TableForm, steps []StepForm, t *Table) {
	if f.Plot == nil {
		return
	}
	form := f.Plot.Value
	p := &Plot{Title: t.Title, X: form.X.Value, Y: form.Y.Value}
	b.plotName("x", form.X, slices.Concat(t.Columns, t.Captures), t)
	b.plotName("y", form.Y, slices.Concat(t.Columns, t.Captures), t)
	if p.X == p.Y {
		b.Slips.Addf(form.Y.Pos, `"x" and "y" are both %q: the plot would be a straight line`, p.Y)
	}
	if form.By != nil {
		p.By = form.By.Value
		b.plotLines(*form.By, p, t)
	}
	p.XLabel, p.YLabel = p.X, p.Y
	for _, text := range []struct {
		key  string
		from *at[string]
		to   *string
	}{{"title", form.Title, &p.Title}, {"xLabel", form.XLabel, &p.XLabel}, {"yLabel", form.YLabel, &p.YLabel}} {
		if text.from == nil {
			continue
		}
		if *text.to = text.from.Value; strings.TrimSpace(*text.to) == "" {
			b.Slips.Addf(text.from.Pos, "%q is empty: leave it out", text.key)
		}
	}
	if form.Log != nil {
		p.Log = LogAxes(form.Log.Value)
		valid := []string{string(LogX), string(LogY), string(LogBoth)}
		if !slices.Contains(valid, form.Log.Value) {
			b.Slips.Addf(form.Log.Pos, "unknown axes %q: %s", form.Log.Value, strictyaml.Suggest(form.Log.Value, valid))
		}
	}
	b.plotValues(f, p.X, p.Log.HasX())
	b.plotValues(f, p.Y, p.Log.HasY())
	b.plotSecrets(form, steps)
	t.Plot = p
}

// plotName holds a name to being one of the table's.
func (b *Builder) plotName(key string, name at[string], valid []string, t *Table) {
	if slices.Contains(valid, name.Value) {
		return
	}
	what := "column or capture"
	if key == "by" {
		what = "column"
	}
	b.Slips.Addf(name.Pos, "%q: table %q has no %s %q: %s", key, t.ID, what, name.Value, strictyaml.Suggest(name.Value, valid))
}

// plotLines judges what makes the lines.
func (b *Builder) plotLines(by at[string], p *Plot, t *Table) {
	b.plotName("by", by, t.Columns, t)
	if by.Value == p.X || by.Value == p.Y {
		b.Slips.Addf(by.Pos, `"by" is %q, which is an axis already`, by.Value)
	}
	lines := map[string]bool{}
	for _, row := range t.Rows {
		lines[row.Vars[by.Value]] = true
	}
	if len(lines) > MaxLines {
		b.Slips.Addf(by.Pos, `%q has %d values, and no more than %d lines can be told apart`, by.Value, len(lines), MaxLines)
	}
}

// plotValues holds the values of a column to what its axis can take. What is
// captured is not known yet.
func (b *Builder) plotValues(f TableForm, name string, log bool) {
	for i, row := range f.Rows.Value {
		for _, e := range row.Value {
			if e.Key.Value != name {
				continue
			}
			if _, err := PlotNumber(e.Value.Value, log); err != nil {
				b.Slips.Addf(e.Value.Pos, "row %d: the plot needs a number for %q, and %q %s", i+1, name, e.Value.Value, err)
			}
		}
	}
}

// plotSecrets refuses names whose values nobody may see.
func (b *Builder) plotSecrets(form plotForm, steps []StepForm) {
	for _, s := range steps {
		for _, c := range s.Capture {
			for _, name := range []at[string]{form.X, form.Y} {
				if c.Key.Value == name.Value && c.Value.Value.Secret {
					b.Slips.Addf(name.Pos, "capture %q is secret: a plot would show it", name.Value)
				}
			}
		}
	}
}
