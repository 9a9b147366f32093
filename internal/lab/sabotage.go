package lab

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"labctl/internal/plan"
	"labctl/internal/strictyaml"
	"labctl/topology"
)

// Sabotage is how a lab proves that its checks can fail: acts that break the
// cluster, each with the checks and claims that must notice it.
type Sabotage struct {
	Lab  string
	Acts []Act
}

// Act breaks one thing just before a step looks at it.
type Act struct {
	ID    string
	Title string
	// At is the step that must notice. It must only look: it is run once more.
	At string
	On []string
	// Run breaks the cluster, and returns when the break can be seen; Undo puts it
	// right, and returns when that can be seen.
	Run, Undo string
	Root      bool
	// Timeout limits each of the two. Written for hardware acceleration.
	Timeout time.Duration
	// Catches names what must not pass: ids of claims, and numbers of the step's
	// checks, from 1.
	Claims []string
	Checks []int
	Pos    string
}

type sabotageFile struct {
	Lab  strictyaml.At[string]    `yaml:"lab,required"`
	Acts strictyaml.At[[]actForm] `yaml:"acts,required"`
}

type actForm struct {
	Pos     strictyaml.Pos                `yaml:",pos"`
	ID      strictyaml.At[string]         `yaml:"id,required"`
	Title   string                        `yaml:"title,required"`
	At      strictyaml.At[string]         `yaml:"at,required"`
	On      strictyaml.Words              `yaml:"on,required"`
	Root    bool                          `yaml:"root"`
	Timeout *strictyaml.At[time.Duration] `yaml:"timeout"`
	Run     strictyaml.At[string]         `yaml:"run,required"`
	Undo    strictyaml.At[string]         `yaml:"undo,required"`
	Catches strictyaml.Words              `yaml:"catches,required"`
}

// ParseSabotage reads the sabotage of a lab. The name stands for the file in
// errors, which are *strictyaml.Error with file:line:column.
func ParseSabotage(name string, data []byte, l Lab) (Sabotage, error) {
	var f sabotageFile
	if err := strictyaml.Decode(name, data, "Sabotage", &f); err != nil {
		return Sabotage{}, err
	}
	var slips strictyaml.Slips
	if f.Lab.Value != l.Name {
		slips.Addf(f.Lab.Pos, "lab %q: the lab beside this file is %q", f.Lab.Value, l.Name)
	}
	if len(f.Acts.Value) == 0 {
		slips.Addf(f.Acts.Pos, `"acts" is empty: it breaks nothing`)
	}
	s := Sabotage{Lab: f.Lab.Value}
	seen := map[string]bool{}
	for _, form := range f.Acts.Value {
		if seen[form.ID.Value] {
			slips.Addf(form.ID.Pos, "id %q is taken", form.ID.Value)
		}
		seen[form.ID.Value] = true
		s.Acts = append(s.Acts, form.act(l, &slips))
	}
	return s, slips.Err()
}

func (f actForm) act(l Lab, slips *strictyaml.Slips) Act {
	a := Act{
		ID: f.ID.Value, Title: f.Title, At: f.At.Value, Root: f.Root, Run: f.Run.Value, Undo: f.Undo.Value,
		Timeout: plan.DefaultTimeout, Pos: f.Pos.String(),
	}
	if f.Timeout != nil {
		a.Timeout = f.Timeout.Value
	}
	if t, err := topology.Embedded(l.Topology); err == nil {
		for _, on := range f.On {
			if len(t.Select(on.Value)) == 0 {
				slips.Addf(on.Pos, "no node of topology %q is %q", t.Name, on.Value)
			}
			a.On = append(a.On, on.Value)
		}
	}
	step, ok := l.Step(a.At)
	if !ok {
		slips.Addf(f.At.Pos, "lab %q has no step %q: %s", l.Name, a.At, strictyaml.Suggest(a.At, l.stepIDs()))
		return a
	}
	for _, c := range f.Catches {
		f.catch(c, step, &a, slips)
	}
	return a
}

var checkWords = regexp.MustCompile(`^check ([1-9][0-9]*)$`)

func (actForm) catch(c strictyaml.At[string], step plan.Step, a *Act, slips *strictyaml.Slips) {
	if m := checkWords.FindStringSubmatch(c.Value); m != nil {
		n, _ := strconv.Atoi(m[1]) // the pattern has digits only
		if n > len(step.Checks) {
			slips.Addf(c.Pos, "step %q has no check %d; it has %d", step.ID, n, len(step.Checks))
		}
		a.Checks = append(a.Checks, n)
		return
	}
	var ids []string
	for _, claim := range step.Claims {
		ids = append(ids, claim.ID)
	}
	if !slices.Contains(ids, c.Value) {
		slips.Addf(c.Pos, `step %q proves no claim %q: %s, or "check N"`, step.ID, c.Value, strictyaml.Suggest(c.Value, ids))
	}
	a.Claims = append(a.Claims, c.Value)
}

// Step finds a step of any of the lab's plans.
func (l Lab) Step(id string) (plan.Step, bool) {
	for _, p := range l.Plans() {
		for _, s := range p.Steps {
			if s.ID == id {
				return s, true
			}
		}
	}
	return plan.Step{}, false
}

func (l Lab) stepIDs() []string {
	var ids []string
	for _, p := range l.Plans() {
		for _, s := range p.Steps {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// Only has the acts of these ids alone, in the file's order; all where none is named.
// It is an error to ask for one that is not there.
func (s Sabotage) Only(ids []string) (Sabotage, error) {
	if len(ids) == 0 {
		return s, nil
	}
	var known []string
	some := Sabotage{Lab: s.Lab}
	for _, a := range s.Acts {
		known = append(known, a.ID)
		if slices.Contains(ids, a.ID) {
			some.Acts = append(some.Acts, a)
		}
	}
	for _, id := range ids {
		if !slices.Contains(known, id) {
			return Sabotage{}, fmt.Errorf("choosing acts of lab %q: unknown act %q: %s", s.Lab, id, strictyaml.Suggest(id, known))
		}
	}
	return some, nil
}

// Uncaught lists what no act catches: each check and claim of each step that
// is not in any act's list, as "STEP: check N" or "STEP: CLAIM". What a table
// has in each row is caught if it is in one.
func (s Sabotage) Uncaught(l Lab) []string {
	told := map[string]bool{} // by where it stands in the lab's file
	for _, a := range s.Acts {
		step, _ := l.Step(a.At)
		for _, n := range a.Checks {
			told[step.Checks[n-1].Pos] = true
		}
		for _, c := range step.Claims {
			if slices.Contains(a.Claims, c.ID) {
				told[c.Pos] = true
			}
		}
	}
	var left []string
	note := func(pos, word string) {
		if !told[pos] {
			left = append(left, word)
		}
		told[pos] = true
	}
	for _, id := range l.stepIDs() {
		step, _ := l.Step(id)
		for n, c := range step.Checks {
			note(c.Pos, fmt.Sprintf("%s: check %d", id, n+1))
		}
		for _, c := range step.Claims {
			note(c.Pos, id+": "+c.ID)
		}
	}
	return left
}
