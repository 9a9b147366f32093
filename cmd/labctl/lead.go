package main

import (
	"context"

	"labctl/internal/labrun"
)

// settleLed refuses what makes no sense beside --step.
func (o *runOptions) settleLed(names []string) error {
	if !o.Led {
		return nil
	}
	const one = "name one lab: labctl run LAB --step"
	switch {
	case o.all:
		return usagef(one, "leading a run: --step does not go with --all")
	case len(names) > 1:
		return usagef(one, "leading a run: of %d labs", len(names))
	case o.Drill != "":
		return usagef("a drill is led by whoever does it, --step by whoever shows the lab: run one of them", "leading a run: --step does not go with --drill")
	case o.sabotage:
		return usagef("sabotage asks nobody: leave --step out", "leading a run: --step does not go with --sabotage")
	}
	return nil
}

// instructor leads a run from a terminal, or from a script's lines.
type instructor struct {
	*dialogue
	place *place
	show  *leadShow
	// greeted tells that all orders were listed once.
	greeted bool
}

// leads is what a run tells and asks when an instructor leads it.
func (a *app) leads(ctx context.Context, p *place, show *progress) *instructor {
	talk := a.dialogue()
	return &instructor{
		dialogue: talk, place: p,
		show: &leadShow{dialogue: talk, inner: show, interrupted: func() bool { return ctx.Err() != nil }},
	}
}

var _ labrun.Instructor = (*instructor)(nil)
