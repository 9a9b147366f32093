package live

import (
	"fmt"
	"maps"
	"slices"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// The keys of what the page can show that is no step.
const (
	keyStart = "start"
	keyEnd   = "end"
)

// track is what the events tell of a run that its result does not: which step is at
// hand, and which have changed since a browser asked for them.
type track struct {
	begun bool
	// prefixes are those of the keys of each plan's steps, in the order of the plans.
	prefixes []string
	// seen counts the events of a step by its key.
	seen map[string]int
	// running are steps that have started and not ended.
	running map[string]bool
	// at is the key of what is to be looked at now.
	at string
	// said is what was last worth saying aloud.
	said string
}

func (t *track) event(e journal.Event) {
	if t.seen == nil {
		t.seen, t.running, t.at = map[string]int{}, map[string]bool{}, keyStart
	}
	switch e.Type {
	case journal.RunStarted:
		t.begun = true
	case journal.PlanStarted:
		t.prefixes = append(t.prefixes, t.prefix(e.Phase))
		clear(t.running) // of a plan that was killed, and whose record goes on here
	case journal.StepStarted:
		t.key(e, func(key string) { t.running[key], t.at = true, key })
	case journal.StepOutput, journal.Progress:
		t.key(e, func(string) {})
	case journal.StepDone:
		t.key(e, func(key string) {
			delete(t.running, key)
			if e.Verdict != plan.NotRun.String() && e.Verdict != plan.Skipped.String() {
				t.said = spoken(e)
			}
		})
	case journal.Led:
		if e.Step != "" && len(t.prefixes) > 0 {
			t.seen[t.prefixes[len(t.prefixes)-1]+e.Step]++
		}
	case journal.Interrupted:
		t.said = "interrupted by " + e.Text
	case journal.RunDone:
		t.at, t.said = keyEnd, "the run has ended: "+e.Verdict
	}
}

// prefix makes keys of steps unique where a phase comes more than once.
func (t *track) prefix(phase journal.Phase) string {
	first := string(phase) + "/"
	if !slices.Contains(t.prefixes, first) {
		return first
	}
	return fmt.Sprintf("%s-%d/", phase, len(t.prefixes))
}

func (t *track) key(e journal.Event, do func(key string)) {
	if len(t.prefixes) == 0 {
		return
	}
	key := t.prefixes[len(t.prefixes)-1] + e.Step
	t.seen[key]++
	do(key)
}

// spoken is a step's end in few words.
func spoken(e journal.Event) string {
	text := fmt.Sprintf("%s: %s", e.Step, e.Verdict)
	for _, id := range slices.Sorted(maps.Keys(e.Verdicts)) {
		text += fmt.Sprintf(", claim %s %s", id, e.Verdicts[id])
	}
	return text
}
