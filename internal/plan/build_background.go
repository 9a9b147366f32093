package plan

import (
	"maps"
	"slices"

	"labctl/internal/strictyaml"
)

// background builds a script that is left running: what it printed is judged by
// the step that stops it.
func (b *Builder) background(f StepForm, s *Step) {
	b.refuse(f, s, "the step that stops it judges its output", "retry", "capture", "checks", "claims")
	b.refuse(f, s, "it stands at the step that stops this one, which has its output", "chart")
	form := f.Background.Value
	if form.Yes != nil && !form.Yes.Value {
		b.Slips.Addf(f.Background.Pos, `"background" is true, or says when the script is ready: leave it out`)
	}
	s.Background = &Background{}
	if form.Ready != nil {
		s.Background.Ready = b.pattern(form.Ready, "ready", "it waits for nothing")
	} else if form.Yes == nil {
		b.Slips.Addf(f.Background.Pos, `"background" is empty: write true, or ready`)
	}
	b.running[s.ID] = *s
}

// stop builds a step that ends a background step and judges what it printed.
func (b *Builder) stop(f StepForm, s *Step) {
	s.Stop = f.Stop.Value
	b.refuse(f, s, "a step that stops another runs nothing", "on", "root", "background", "retry")
	if b.Shuffled {
		b.Slips.Addf(f.Stop.Pos, "the steps are shuffled, and this needs step %q", s.Stop)
	}
	started, ok := b.running[s.Stop]
	first, stopped := b.stopped[s.Stop]
	switch {
	case stopped:
		b.Slips.Addf(f.Stop.Pos, "step %q is stopped in line %d already", s.Stop, first.Line)
	case !ok:
		where := "list"
		if b.row != nil {
			where = "row"
		}
		b.Slips.Addf(f.Stop.Pos, "no earlier background step of this %s is %q: %s", where, s.Stop,
			strictyaml.Suggest(s.Stop, slices.Sorted(maps.Keys(b.running))))
	default:
		b.stopped[s.Stop] = f.Stop.Pos
		delete(b.running, s.Stop)
		s.On = started.On
	}
	if s.Timeout == 0 {
		s.Timeout = DefaultTimeout
	}
	b.judged(f, s)
}
