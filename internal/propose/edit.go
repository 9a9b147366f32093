package propose

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"labctl/internal/plan"
	"labctl/internal/strictyaml"
)

// edit is the change of one step in its file.
type edit struct {
	doc       *strictyaml.Document
	step      plan.Step
	node      strictyaml.Node
	outputs   []output
	variables bool
	changed   bool
	left      []string
	// there are the checks that were written, so that none is written twice.
	there []string
}

// errNotInFile says that a place which the loader told is not one.
var errNotInFile = errors.New("the step is not where it was")

// edit makes the changes that a step's outputs ask for.
func (s *Session) edit(step plan.Step, outputs []output, variables bool) (*edit, error) {
	doc, err := strictyaml.OpenDocument(s.name, s.file)
	if err != nil {
		return nil, err
	}
	e := &edit{doc: doc, step: step, outputs: outputs, variables: variables}
	var ok bool
	if e.node, ok = doc.At(position(step.Pos)); !ok {
		return nil, fmt.Errorf("editing step %q: %w", step.ID, errNotInFile)
	}
	if why := unusable(outputs); why != "" {
		e.left = append(e.left, why)
		return e, nil
	}
	if len(step.Checks) == 0 {
		e.first()
		return e, nil
	}
	list, _ := e.node.Get("checks")
	for i, c := range step.Checks {
		if results := failed(on(outputs, c.Node), c.Pos); len(results) > 0 {
			e.mend(list, i, c, results)
		}
	}
	for _, v := range e.exits() {
		list.Insert(len(step.Checks), v)
		e.changed = true
	}
	e.captures()
	return e, nil
}

// unusable says why outputs are nothing to expect.
func unusable(outputs []output) string {
	for _, o := range outputs {
		switch {
		case o.TimedOut:
			return "its time was over before it ended"
		case o.Exit == 126 || o.Exit == 127:
			return fmt.Sprintf("its command did not run, exit code %d; if that is what it is to show, write it by hand", o.Exit)
		case o.Dropped > 0:
			return "it printed more than was kept"
		}
	}
	return ""
}

// first makes checks for a step that has none.
func (e *edit) first() {
	list := e.exits()
	e.captures()
	if len(e.step.Claims) == 0 {
		for _, name := range e.telling() {
			checks, why := e.fresh(name, e.outputs, "")
			if why != "" {
				e.left = append(e.left, why)
			}
			list = append(list, checks...)
		}
	}
	if len(list) > 0 {
		e.node.Add("checks", list, "id", "title", "group", "on", "root", "timeout", "retry", "run", "stop", "capture")
		e.changed = true
	}
}

// exits are checks of exit codes that are not 0 and that nobody has asked for.
func (e *edit) exits() strictyaml.List {
	implied := func(o output) bool {
		return slices.ContainsFunc(failed([]output{o}, e.step.Pos), func(r plan.Result) bool { return r.Want == "exit code 0" })
	}
	var list strictyaml.List
	done := map[string]bool{}
	for _, o := range e.outputs {
		if !implied(o) || done[o.node] {
			continue
		}
		done[o.node] = true
		check := strictyaml.Pairs{{Key: "exit", Value: strictyaml.Plain(strconv.Itoa(o.Exit))}}
		if code, ok := oneCode(e.outputs); ok && code == o.Exit {
			return strictyaml.List{check}
		}
		if _, ok := oneCode(on(e.outputs, o.node)); !ok {
			e.left = append(e.left, "its exit code differs from row to row")
			return nil
		}
		list = append(list, append(check, strictyaml.Pair{Key: "node", Value: strictyaml.Text(o.node)}))
	}
	return list
}

func oneCode(outputs []output) (int, bool) {
	for _, o := range outputs {
		if o.Exit != outputs[0].Exit {
			return 0, false
		}
	}
	return outputs[0].Exit, len(outputs) > 0
}

// captures names those that found nothing: what to look for instead, only the
// author knows.
func (e *edit) captures() {
	for _, r := range failed(e.outputs, e.step.Pos) {
		if r.Want != "exit code 0" {
			e.leave("nothing is captured: " + r.Want)
		}
	}
}

func (e *edit) leave(why string) {
	if !slices.Contains(e.left, why) {
		e.left = append(e.left, why)
	}
}

// fresh are checks of all lines of a stream, for all nodes together if one check
// can tell them all, else for each.
func (e *edit) fresh(name string, outputs []output, node string) (strictyaml.List, string) {
	for _, o := range outputs {
		if n := len(stream(name, o.Output)); n > MaxLines {
			return nil, fmt.Sprintf("it printed %d lines, more than %d: write a check of what matters", n, MaxLines)
		}
	}
	came := squeezed(texts(name, outputs))
	lines, ok := unify(came, e.variables)
	if ok && !chooses(lines) {
		return strictyaml.List{check(name, lines, node)}, ""
	}
	// The same lines in another order say more than lines that are a choice.
	if inAny, sortable := unify(sorted(came), e.variables); sortable && !chooses(inAny) {
		return strictyaml.List{ofLines("anyOrder", name, inAny, node)}, ""
	}
	if ok {
		return strictyaml.List{check(name, lines, node)}, ""
	}
	var list strictyaml.List
	var nodes []string
	for _, o := range outputs {
		if !slices.Contains(nodes, o.node) {
			nodes = append(nodes, o.node)
		}
	}
	for _, n := range nodes {
		lines, ok := unify(squeezed(texts(name, on(outputs, n))), e.variables)
		if !ok {
			return nil, "its output differs from row to row or from run to run, and nothing tells how"
		}
		list = append(list, check(name, lines, n))
	}
	return list, ""
}

// check writes that a stream is these lines.
func check(name string, lines []line, node string) strictyaml.Value {
	assertion := func(key string, v strictyaml.Value) strictyaml.Value {
		return onNode(strictyaml.Pair{Key: name, Value: strictyaml.Inline{{Key: key, Value: v}}}, node)
	}
	switch {
	case len(lines) == 0:
		return assertion("empty", strictyaml.Plain("true"))
	case len(lines) > 1 || lines[0].progress():
		return ofLines("lines", name, lines, node)
	case lines[0].plain():
		return assertion("equals", strictyaml.Text(lines[0].template()))
	}
	return assertion("matches", strictyaml.Text(`\A`+lines[0].expression()+`\z`))
}

// ofLines writes a check of lines, in order or not.
func ofLines(key, name string, lines []line, node string) strictyaml.Value {
	return onNode(strictyaml.Pair{Key: name, Value: strictyaml.Pairs{{Key: key, Value: items(lines)}}}, node)
}

func onNode(check strictyaml.Pair, node string) strictyaml.Value {
	if node == "" {
		return strictyaml.Pairs{check}
	}
	return strictyaml.Pairs{check, {Key: "node", Value: strictyaml.Text(node)}}
}

// items are lines as a list's; three or more that are alike are one.
func items(lines []line) strictyaml.List {
	var list strictyaml.List
	for i := 0; i < len(lines); {
		n := 1
		for i+n < len(lines) && (slices.EqualFunc(lines[i], lines[i+n], part.same) || lines[i].progress() && lines[i+n].progress()) {
			n++
		}
		if lines[i].progress() {
			list = append(list, lines[i].value())
			i += n
			continue
		}
		if n >= 3 {
			pair := strictyaml.Pair{Key: "regex", Value: strictyaml.Text(lines[i].expression())}
			if lines[i].plain() {
				pair = strictyaml.Pair{Key: "line", Value: strictyaml.Text(lines[i].template())}
			}
			list = append(list, strictyaml.Inline{pair, {Key: "times", Value: strictyaml.Plain(strconv.Itoa(n))}})
			i += n
			continue
		}
		list = append(list, lines[i].value())
		i++
	}
	return list
}
