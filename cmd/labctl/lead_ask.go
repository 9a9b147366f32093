package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"labctl/internal/journal"
	"labctl/internal/labdoc"
	"labctl/internal/labrun"
)

// Ask shows what the turn is about, and asks until there is an order that makes
// sense.
func (i *instructor) Ask(ctx context.Context, at labrun.Turn) (labrun.Order, error) {
	i.show.asked()
	if !i.greeted {
		i.greeted = true
		fmt.Fprintln(i.out)
		i.help(func(verb) bool { return true })
	}
	i.show.turn(at)
	i.menu(at)
	warned := false
	for {
		if i.terminal != nil {
			i.forget()
		}
		line, err := i.ask(ctx)
		if errors.Is(err, io.EOF) && i.terminal != nil && !warned {
			warned = true // the Ctrl-D that leaves a shell is easily typed twice
			i.say("", "Once more ends the run and puts the cluster back.")
			continue
		}
		if err != nil {
			return labrun.Order{}, err
		}
		warned = false
		order, says := ordered(line, at, i.place.names())
		switch {
		case says == "":
			return order, nil
		case says == sayHelp:
			i.help(func(v verb) bool { return v.makesSense(at) })
		case says == sayExpected:
			fmt.Fprint(i.out, expected(at))
		default:
			i.say("", says)
		}
	}
}

// forget drops what was typed before it was asked for: an Enter too many would run
// a step that nobody has read.
func (i *instructor) forget() {
	_ = unix.IoctlSetInt(int(i.terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH) // then it is read, as from a script
	_, _ = i.in.Discard(i.in.Buffered())
}

// names are those of the nodes where a shell can be opened.
func (p *place) names() []string {
	var all []string
	for _, n := range p.cluster.Topology.Machines() {
		all = append(all, n.Name)
	}
	return all
}

// What a line means that is no order.
const (
	sayHelp     = "?"
	sayExpected = "e"
)

// ordered is what a line means at a turn; says is set where it is no order: one of
// the two above, or why it means nothing now.
func ordered(line string, at labrun.Turn, nodes []string) (order labrun.Order, says string) {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	v, known := find(strings.ToLower(word))
	switch {
	case !known:
		return order, fmt.Sprintf("%q means nothing here; ? lists what does.", line)
	case rest != "" && !v.takes:
		return order, fmt.Sprintf("%s stands alone; ? lists what there is.", v.letter)
	case !v.makesSense(at):
		return order, v.no
	}
	order.Act = v.act
	switch v.act {
	case journal.LedShell:
		return shellOn(rest, at, nodes)
	case journal.LedRunOn:
		if rest == "" {
			return order, ""
		}
		to, err := at.To(rest)
		if err != nil {
			return order, err.Error()
		}
		order.To = to
	case verbHelp:
		return order, sayHelp
	case verbExpected:
		return order, sayExpected
	}
	return order, ""
}

func shellOn(node string, at labrun.Turn, nodes []string) (order labrun.Order, says string) {
	order.Act, order.Node = journal.LedShell, node
	switch {
	case node == "" && len(at.Nodes) > 0:
		order.Node = at.Nodes[0]
	case node == "":
		order.Node = nodes[0]
	case !slices.Contains(nodes, node):
		return order, fmt.Sprintf("There is no node %q: they are %s.", node, strings.Join(nodes, ", "))
	}
	return order, ""
}

// expected is what should come of the step that a turn is about.
func expected(at labrun.Turn) string {
	if at.About == nil {
		return ""
	}
	text := labdoc.Expected(*at.About)
	if text == "" {
		text = "  nothing: whatever comes, it passes\n"
	}
	return "expected of " + at.About.ID + ":\n" + text
}
