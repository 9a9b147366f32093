package lab

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Drill is one of the lab's faults for a learner to find: it names steps of the
// lab by their ids, so that a drill and the lab break the same thing.
type Drill struct {
	// ID names it, beside its number.
	ID string
	// Title is a symptom, and all that the learner is told at first.
	Title string
	// Cause is the answer. The causes of all drills of the lab are the choices.
	Cause string
	// Needs are run first and shown, Break is run and not shown, and so is Symptom,
	// whose passing proves that the fault is there. All are of the lab's Steps, in
	// its order.
	Needs, Break, Symptom []string
	// Fixed pass once the fault is mended. They are run whenever the learner asks.
	Fixed []string
	// Hints are told one by one.
	Hints []string
}

// MaxCauses is how many different causes a lab's drills may have: each has a
// letter, and two letters mean something else.
const MaxCauses = 24

// Setup are the steps that are run before the learner's turn, in their order.
func (d Drill) Setup() []string { return slices.Concat(d.Needs, d.Break, d.Symptom) }

// Drill finds one by its id, or by its number from 1, and returns the number. It
// is 0 if there is none.
func (l Lab) Drill(word string) (Drill, int) {
	for i, d := range l.Drills {
		if d.ID == word || strconv.Itoa(i+1) == word {
			return d, i + 1
		}
	}
	return Drill{}, 0
}

// Causes are those of all drills, each once, in an order that does not tell which
// drill has which: that of the alphabet.
func (l Lab) Causes() []string {
	var causes []string
	for _, d := range l.Drills {
		causes = append(causes, d.Cause)
	}
	slices.SortFunc(causes, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	})
	return slices.Compact(causes)
}
