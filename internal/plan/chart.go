package plan

import "strings"

// Chart says that a step's output is what tcpdump prints, and that reports draw
// it as a sequence chart.
type Chart struct {
	// Title is that of the chart: the step's own unless the file has another.
	Title string `json:"title"`
}

type chartForm struct {
	Yes   *at[bool]   `yaml:",word" doc:"true: it has the step's title."`
	Title *at[string] `yaml:"title" doc:"Of the chart."`
}

// chart builds what a step says of its picture.
func (b *Builder) chart(f StepForm, s *Step) {
	if f.Chart == nil {
		return
	}
	s.Chart = &Chart{Title: s.Title}
	switch form := f.Chart.Value; {
	case form.Yes != nil:
		if !form.Yes.Value {
			b.Slips.Addf(f.Chart.Pos, `"chart" is true, or has a title: leave it out`)
		}
	case form.Title == nil:
		b.Slips.Addf(f.Chart.Pos, `"chart" is empty: write true, or title`)
	case strings.TrimSpace(form.Title.Value) == "":
		b.Slips.Addf(form.Title.Pos, `"title" is empty: write "chart: true", and it has the step's`)
	default:
		s.Chart.Title = form.Title.Value
	}
}
