package main

import (
	"context"
	"fmt"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/labrun"
)

// settleDrill refuses what makes no sense beside --drill. A flag that was not
// given, such as --keep never, is no wish.
func (o *runOptions) settleDrill(names []string) error {
	if o.Drill == "" {
		return nil
	}
	chosen := "a drill chooses its own steps: leave it out"
	for _, other := range []struct {
		given      bool
		flag, hint string
	}{
		{o.all, "--all", "name one lab: labctl run LAB --drill " + o.Drill},
		{o.From != "", "--from", chosen},
		{o.Until != "", "--until", chosen},
		{len(o.Only) > 0, "--only", chosen},
		{o.Seed != 0, "--shuffle", "a drill's steps have an order: leave it out"},
		{o.keep != string(labrun.KeepNever), "--keep", "a drill ends with the cluster as it was: leave it out; to look at a fault in peace, run the lab --until it with --keep always"},
		{o.sabotage, "--sabotage", "one is about the lab's checks, the other about you: run one of them"},
	} {
		if other.given {
			return usagef(other.hint, "starting drill %q: it does not go with %s", o.Drill, other.flag)
		}
	}
	if len(names) > 1 {
		return usagef("name one lab: labctl run LAB --drill "+o.Drill, "starting drill %q: of %d labs", o.Drill, len(names))
	}
	return nil
}

// drillTalk is what a run tells and asks when it is a drill.
func (a *app) drillTalk(ctx context.Context, l lab.Lab, p *place, show *progress, o runOptions) (func(journal.Event), labrun.Dialogue) {
	d, _ := l.Drill(o.Drill)
	talk := a.dialogue()
	hidden := &drillShow{
		dialogue: talk, inner: show, lab: l, drill: d, ways: p.ways(o.placeOptions),
		patience:    patience(l, d, p.cluster.Accelerator.LimitScale()),
		interrupted: func() bool { return ctx.Err() != nil },
	}
	return hidden.event, learner{talk}
}

// ways are the commands that lead to the nodes from another terminal.
func (p *place) ways(o placeOptions) []string {
	var all []string
	name := ""
	if o.name != "" {
		name = " --name " + o.name
	}
	for _, n := range p.cluster.Topology.Machines() {
		if p.cluster.Topology.Hosts {
			all = append(all, fmt.Sprintf("ssh -p %d %s@%s", n.Port, n.User, n.Address))
			continue
		}
		all = append(all, "labctl ssh "+n.Name+name)
	}
	return all
}

// letters are those that choices have, lab.MaxCauses of them: h and q mean
// something else.
const letters = "abcdefgijklmnoprstuvwxyz"

// learner does a drill, line by line.
type learner struct{ *dialogue }

// Ask asks until there is a move that makes sense.
func (d learner) Ask(ctx context.Context, at labrun.Standing) (labrun.Move, error) {
	for {
		line, err := d.ask(ctx)
		if err != nil {
			return labrun.Move{}, err
		}
		move, says := understood(line, at)
		if says == "" {
			return move, nil
		}
		d.say("", says)
	}
}

// understood is what a line means; says is set where it means nothing now.
func understood(line string, at labrun.Standing) (move labrun.Move, says string) {
	word := strings.ToLower(line)
	switch {
	case word == "" && at.Mended:
		return move, "It is mended already: what was the cause?"
	case word == "":
		return move, ""
	case word == "q":
		return labrun.Move{GiveUp: true}, ""
	case word == "h" && at.Hints == 0:
		return move, "There are no more hints."
	case word == "h":
		return labrun.Move{Hint: true}, ""
	}
	i := strings.Index(letters, word)
	switch {
	case len(word) != 1 || i < 0 || i >= len(at.Choices):
		return move, fmt.Sprintf("%q means nothing here. %s", line, possible(len(at.Choices)))
	case at.Diagnosed:
		return move, "You know the cause already: mend it, and press Enter."
	}
	return labrun.Move{Cause: at.Choices[i]}, ""
}

// possible says what may be typed.
func possible(choices int) string {
	return fmt.Sprintf("Type a letter, a to %c: your diagnosis. Enter: check my fix. h: a hint. q: give up and show me.", letters[choices-1])
}
