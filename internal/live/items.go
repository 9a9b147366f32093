package live

import (
	"slices"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/report"
)

// section is one plan in the list of steps.
type section struct {
	Heading string
	Items   []item
}

// item is one step in the list.
type item struct {
	Key string
	// Seen changes whenever there is something new of the step.
	Seen      int
	ID, Title string
	// State is the step's verdict, or one of the two words below.
	State string
	// Looks says that somebody should look at it: it did not pass, or a claim is not
	// as the write-up has it.
	Looks  bool
	Claims []claimed

	result *journal.StepResult // nil for one ahead
	step   *plan.Step          // nil for one that no plan has
	phase  journal.Phase
}

// claimed is what became of a claim.
type claimed struct{ ID, Verdict string }

// States of a step that has no verdict yet.
const (
	running = "running"
	ahead   = "ahead"
)

// sections are the plans that were run, and those that will be. The repair is run only
// if something is left, so it is not ahead.
func (p *Page) sections() []section {
	var all []section
	told := map[journal.Phase]bool{}
	for i, done := range p.result.Plans {
		told[done.Phase] = true
		all = append(all, p.section(p.track.prefixes[i], done))
	}
	if p.result.Run.Drill != nil {
		return all // its steps are chosen ones, and nobody should learn them early
	}
	for _, phase := range []journal.Phase{journal.Steps, journal.Teardown} {
		if !told[phase] && !p.result.Complete && len(p.plans[phase].Steps) > 0 {
			all = append(all, p.section(string(phase)+"/", journal.PlanResult{Phase: phase}))
		}
	}
	return all
}

// section has the steps that were told, in the order in which they came, then those
// ahead.
func (p *Page) section(prefix string, done journal.PlanResult) section {
	s := section{Heading: report.Heading(done.Phase)}
	own := map[string]*plan.Step{}
	for i := range p.plans[done.Phase].Steps {
		step := &p.plans[done.Phase].Steps[i]
		own[step.ID] = step
	}
	for i := range done.Steps {
		result := &done.Steps[i]
		s.Items = append(s.Items, p.item(prefix, done.Phase, result, own[result.ID]))
		delete(own, result.ID)
	}
	if p.result.Complete || p.result.Run.Drill != nil {
		return s
	}
	for i := range p.plans[done.Phase].Steps {
		if step := &p.plans[done.Phase].Steps[i]; own[step.ID] != nil {
			s.Items = append(s.Items, p.item(prefix, done.Phase, nil, step))
		}
	}
	return s
}

func (p *Page) item(prefix string, phase journal.Phase, result *journal.StepResult, step *plan.Step) item {
	if result == nil {
		return item{Key: prefix + step.ID, ID: step.ID, Title: step.Title, State: ahead, step: step, phase: phase}
	}
	i := item{
		Key: prefix + result.ID, ID: result.ID, Title: result.Title, State: result.Outcome(),
		result: result, step: step, phase: phase,
	}
	i.Seen = p.track.seen[i.Key]
	if p.track.running[i.Key] {
		i.State = running
		return i
	}
	i.Looks = report.NeedsALook(i.State)
	for _, c := range p.result.Run.Claims {
		if v, ok := result.Verdicts[c.ID]; ok {
			i.Claims = append(i.Claims, claimed{c.ID, string(v)})
			i.Looks = i.Looks || v != plan.Holds && v != plan.Answered
		}
	}
	return i
}

// find is the item of a key.
func find(all []section, key string) (item, bool) {
	for _, s := range all {
		if i := slices.IndexFunc(s.Items, func(i item) bool { return i.Key == key }); i >= 0 {
			return s.Items[i], true
		}
	}
	return item{}, false
}
