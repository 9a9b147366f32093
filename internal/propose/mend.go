package propose

import (
	"fmt"
	"strconv"

	"labctl/internal/plan"
	"labctl/internal/strictyaml"
)

// mend changes check i of a list so that it holds.
func (e *edit) mend(list strictyaml.Node, i int, c plan.Check, results []plan.Result) {
	item := list.Items()[i]
	outputs := on(e.outputs, c.Node)
	name, assertion := subject(c)
	switch {
	case c.Exit != nil:
		code, ok := oneCode(outputs)
		exit, there := item.Get("exit")
		if !ok || !there {
			e.leave("its exit code differs from node to node: " + results[0].Want)
			return
		}
		exit.Replace(strictyaml.Plain(strconv.Itoa(code)))
		e.changed = true
	case assertion == nil:
		e.leave(fmt.Sprintf("%s: %s; came: %s", results[0].Verdict, results[0].Want, results[0].Got))
	case e.count(item, name, assertion, outputs), e.keep(item, name, assertion, outputs):
		e.changed = true
	default:
		e.replace(list, i, name, outputs, c.Node)
	}
}

// subject is the stream that a check is about, and what it says of it; nil for
// other checks.
func subject(c plan.Check) (string, *plan.Text) {
	switch {
	case c.Stdout != nil:
		return stdout, c.Stdout
	case c.Stderr != nil:
		return stderr, c.Stderr
	}
	return combined, c.Combined
}

// replace puts what came in place of a check of another kind.
func (e *edit) replace(list strictyaml.Node, i int, name string, outputs []output, node string) {
	checks, why := e.fresh(name, outputs, node)
	if why != "" {
		e.leave(why)
		return
	}
	placed := false
	for _, v := range checks {
		text := strictyaml.Flow(v)
		switch {
		case has(e.there, text):
			continue
		case !placed:
			list.Items()[i].Replace(v)
			placed = true
		default:
			list.Insert(i+1, v)
		}
		e.there = append(e.there, text)
		e.changed = true
	}
	if !placed {
		list.Remove(i)
		e.changed = true
	}
}

func has(list []string, word string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}

// count changes the number of a check that counts lines, and says just how many
// there are.
func (e *edit) count(item strictyaml.Node, name string, t *plan.Text, outputs []output) bool {
	if t.Count == nil || t.Count.Is == nil {
		return false
	}
	number := -1
	for _, o := range outputs {
		of, err := t.Count.Of.With(o.known())
		if err != nil {
			return false
		}
		n := 0
		for _, l := range stream(name, o.Output) {
			if of.MatchString(l) {
				n++
			}
		}
		if number >= 0 && n != number {
			return false
		}
		number = n
	}
	is, ok := get(item, name, "count", "is")
	if ok {
		is.Replace(strictyaml.Plain(strconv.Itoa(number)))
	}
	return ok
}

// get is a value further down.
func get(n strictyaml.Node, keys ...string) (strictyaml.Node, bool) {
	for _, key := range keys {
		var ok bool
		if n, ok = n.Get(key); !ok {
			return n, false
		}
	}
	return n, true
}
