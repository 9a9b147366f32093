// Package propose makes expectations of what a recorded run has printed, for the
// steps of a lab that expect nothing yet, or something else than what came. It
// writes them into the lab's file, and leaves the rest of the file as it is.
// Whatever it proposes loads, and holds for the run that it comes from.
package propose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/labrun"
	"labctl/internal/plan"
	"labctl/internal/strictyaml"
)

// MaxLines is the most that a step may have printed for its lines to be proposed:
// nobody reads more, and some of them would be others the next time.
const MaxLines = 100

// Session goes through the steps of a lab, one by one.
type Session struct {
	name string
	file []byte
	// items are the steps as the file has them, a table's once.
	items []item
	next  int
}

// item is a step of the file, and what the run had of it.
type item struct {
	id, title string
	// shown are the attempts that could be judged; lost says why others could not.
	shown []shown
	lost  string
	ran   bool
	// early says that it puts back what a run did that came to a part of the steps.
	early bool
}

// shown is an attempt of one of the runs, the first of which is 0.
type shown struct {
	labrun.Shown
	run int
}

// Proposal is what there is to say of one step.
type Proposal struct {
	// Step and Title are those of the file: a table's have ${NAME} in them.
	Step, Title string
	// File is the lab's file with the proposal in it; nil if there is none.
	File []byte
	// Left is what the author must see to, a sentence each.
	Left []string
}

// DrillError says that a run was a drill: its steps showed a broken cluster.
type DrillError struct{ Run string }

func (e *DrillError) Error() string { return fmt.Sprintf("reading run %q: it is a drill", e.Run) }

// Hint says what to do.
func (e *DrillError) Hint() string { return "name a run of the lab itself: LAB/TIME" }

// OtherLabError says that a run is not one of the lab.
type OtherLabError struct{ Run, RunOf, Lab string }

func (e *OtherLabError) Error() string {
	return fmt.Sprintf("reading run %q: it is of lab %q, not of %q", e.Run, e.RunOf, e.Lab)
}

// Hint says what to do.
func (e *OtherLabError) Hint() string {
	return fmt.Sprintf("name a run of %q, or none for its latest: labctl history %s lists them", e.Lab, e.Lab)
}

// Open reads a lab's file and a run of it. The name stands for the file in errors.
// Further runs show what varies: a proposal holds for them, too, where they came to
// a step with the same script and left it with the same exit code.
func Open(name string, file []byte, run *journal.Folder, further ...*journal.Folder) (*Session, error) {
	l, err := lab.Parse(name, file)
	if err != nil {
		return nil, err
	}
	all := map[string][]shown{}
	var result journal.Result
	for i, folder := range append([]*journal.Folder{run}, further...) {
		r, err := labrun.JudgeEach(folder, l, func(s labrun.Shown) {
			all[s.Step.Pos] = append(all[s.Step.Pos], shown{s, i})
		})
		if err != nil {
			return nil, err
		}
		switch {
		case r.Run.Lab != l.Name:
			return nil, &OtherLabError{r.Run.ID, r.Run.Lab, l.Name}
		case r.Run.Drill != nil:
			return nil, &DrillError{r.Run.ID}
		}
		if i == 0 {
			result = r
		}
	}
	told := map[string]journal.StepResult{}
	for _, p := range result.Plans {
		for _, s := range p.Steps {
			told[s.ID] = s
		}
	}
	ofTables := map[string]plan.Step{}
	for _, p := range l.Plans() {
		for _, t := range p.Tables {
			for _, step := range t.Steps {
				ofTables[step.Pos] = step
			}
		}
	}
	s := &Session{name: name, file: file}
	back, cut := puttingBack(l, told)
	for _, steps := range written(l) {
		it := item{early: cut && back[steps[0].Pos], id: steps[0].ID, title: steps[0].Title, shown: all[steps[0].Pos]}
		if form, ok := ofTables[steps[0].Pos]; ok {
			it.id, it.title = form.ID, form.Title
		}
		for _, step := range steps {
			it.tell(told[step.ID])
		}
		s.items = append(s.items, it)
	}
	return s, nil
}

// tell notes what the run says of a step.
func (it *item) tell(s journal.StepResult) {
	last := map[string]journal.Attempt{}
	for _, a := range s.Attempts {
		last[a.Node] = a
		it.ran = true
	}
	for _, a := range last {
		if a.Error != "" {
			it.lost = a.Error
		}
	}
}

// Next returns what there is to say of the next step that there is something to
// say of; false after the last.
func (s *Session) Next() (Proposal, bool, error) {
	for s.next < len(s.items) {
		i := s.next
		s.next++
		l, err := lab.Parse(s.name, s.file)
		if err != nil {
			return Proposal{}, false, err
		}
		p, err := s.propose(i, written(l)[i])
		if err != nil {
			return Proposal{}, false, err
		}
		if p.File != nil || len(p.Left) > 0 {
			return p, true, nil
		}
	}
	return Proposal{}, false, nil
}

// Accept makes a proposal's file the one that further proposals are for.
func (s *Session) Accept(p Proposal) { s.file = p.File }

// File is the lab's file with all that was accepted.
func (s *Session) File() []byte { return s.file }

// propose looks at step i of the file, which has become these steps.
func (s *Session) propose(i int, steps []plan.Step) (Proposal, error) {
	it, step := s.items[i], steps[0]
	p := Proposal{Step: it.id, Title: it.title}
	if step.Do != "" || step.Background != nil {
		return p, nil // whoever stops it judges
	}
	bare := len(step.Checks) == 0 && len(step.Claims) == 0
	switch {
	case !it.ran && bare:
		p.Left = []string{"it was not run then"}
		return p, nil
	case it.lost != "":
		p.Left = []string{it.lost}
		return p, nil
	}
	outputs := outputsOf(it.shown, steps)
	if len(outputs) == 0 || !bare && wrong(outputs) == 0 {
		return p, nil
	}
	if it.early && slices.ContainsFunc(outputs, func(o output) bool { return o.Exit != 0 }) {
		// Else the lab would expect from now on that there is nothing to put back.
		p.Left = []string{"it ended with an error in a run that did not come to all steps: there may have been nothing to put back"}
		return p, nil
	}
	for _, variables := range []bool{true, false} {
		e, err := s.edit(step, outputs, variables)
		if err != nil {
			return p, err
		}
		p.Left = e.left
		if !e.changed {
			return p, nil
		}
		// What a table's or a shuffled lab's checks may not see, only the loader knows.
		file := e.doc.Bytes()
		if len(step.Checks) == 0 {
			file = done(file, position(step.Pos).Line)
		}
		if s.holds(i, file, outputs, len(e.left) == 0) {
			p.File = file
			return p, nil
		}
	}
	p.Left = append(p.Left, "no expectation that loads could be made of its output: write one by hand")
	return p, nil
}

// holds says that a file loads, and that a step's own checks hold by it for the
// outputs; if not whole, more of them than before.
func (s *Session) holds(i int, file []byte, outputs []output, whole bool) bool {
	l, err := lab.Parse(s.name, file)
	if err != nil {
		return false
	}
	before := wrong(outputs)
	outputs = judged(outputs, written(l)[i])
	after := wrong(outputs)
	return after == 0 || !whole && after < before
}

// position reads what plan keeps of a place.
func position(pos string) strictyaml.Pos {
	words := strings.Split(pos, ":")
	n := len(words)
	line, _ := strconv.Atoi(words[n-2]) // it was written by Pos.String
	column, _ := strconv.Atoi(words[n-1])
	return strictyaml.Pos{File: strings.Join(words[:n-2], ":"), Line: line, Column: column}
}
