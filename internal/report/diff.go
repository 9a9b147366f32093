package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"labctl/internal/compare"
	"labctl/internal/journal"
)

// Diff writes what is different between two runs on a terminal, in at most 120
// columns: what each was made on, then claims, steps and times that differ.
func Diff(w io.Writer, d compare.Diff, before, after journal.Result) {
	fmt.Fprintf(w, "lab %s: %s\n\n", line(d.Lab, 60), diffWords(d))
	rows := [][]string{{"", "BEFORE", "AFTER", ""}}
	for _, f := range factPairs(d, before, after) {
		mark := ""
		if f.before != f.after && !f.unique {
			mark = "differs"
		}
		rows = append(rows, []string{f.name, cmp.Or(f.before, "-"), cmp.Or(f.after, "-"), mark})
	}
	compact(w, rows)
	diffClaims(w, d.Claims)
	diffSteps(w, d.Steps)
	diffTimings(w, d)
}

// diffWords say how many verdicts differ.
func diffWords(d compare.Diff) string {
	var all []string
	add := func(n int, noun string) {
		if n > 0 {
			all = append(all, plural(n, noun))
		}
	}
	add(len(d.Claims), "claim")
	add(len(d.Steps), "step")
	if d.Before.Verdict != d.After.Verdict {
		all = append(all, "the run's verdict")
	}
	if d.Before.Restored != d.After.Restored {
		all = append(all, "the restore's verdict")
	}
	switch {
	case len(all) > 0:
		return "different: " + strings.Join(all, ", ")
	case !d.Told:
		return "nobody can tell: no verdict differs as far as the records go, and one of them has no end"
	}
	return "no verdict differs"
}

// plural is "1 claim", "2 claims".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// factPair is a fact of both runs.
type factPair struct {
	name, before, after string
	// unique says that it is another in any two runs.
	unique bool
}

// factPairs are what both runs were made on, and what became of them.
func factPairs(d compare.Diff, before, after journal.Result) []factPair {
	var all []factPair
	at := map[string]int{}
	add := func(name, before, after string) {
		at[name] = len(all)
		unique := slices.Contains([]string{"run", "started", "took"}, name)
		all = append(all, factPair{name, before, after, unique})
	}
	for _, f := range facts(after) {
		add(f.Name, "", f.Value)
	}
	for _, f := range facts(before) {
		if i, known := at[f.Name]; known {
			all[i].before = f.Value
		} else {
			add(f.Name, f.Value, "")
		}
	}
	add("lab file", d.Before.File, d.After.File)
	add("verdict", d.Before.Verdict, d.After.Verdict)
	add("restored", restoredBy(d.Before), restoredBy(d.After))
	if d.Before.Trouble != "" || d.After.Trouble != "" {
		add("trouble", d.Before.Trouble, d.After.Trouble)
	}
	return all
}

// restoredBy is what restored the cluster in one word, or that nothing did.
func restoredBy(l compare.Line) string {
	switch l.Restored {
	case journal.Restored:
		return "by " + string(cmp.Or(l.By, "itself"))
	case journal.NotRestored:
		return "NOT"
	}
	return l.Restored
}

func diffClaims(w io.Writer, claims []compare.ClaimDiff) {
	if len(claims) == 0 {
		return
	}
	rows := [][]string{{"CLAIM", "WHERE", "VERDICT", "SHOWED BEFORE", "SHOWS NOW"}}
	for _, c := range claims {
		var before, after compare.ClaimSeen
		if c.Before != nil {
			before = *c.Before
		}
		if c.After != nil {
			after = *c.After
		}
		rows = append(rows, []string{c.ID, c.Where, change(c.What, string(before.Verdict), string(after.Verdict)), before.Showed, after.Showed})
	}
	fmt.Fprintln(w)
	table(w, rows)
}

func diffSteps(w io.Writer, steps []compare.StepDiff) {
	if len(steps) == 0 {
		return
	}
	rows := [][]string{{"STEP", "TITLE", "VERDICT", "SHOWED BEFORE", "SHOWS NOW"}}
	for _, s := range steps {
		var before, after compare.StepSeen
		if s.Before != nil {
			before = *s.Before
		}
		if s.After != nil {
			after = *s.After
		}
		what := change(s.What, before.Verdict, after.Verdict)
		if s.Script {
			what += " (another script)"
		}
		rows = append(rows, []string{s.ID, s.Title, what, before.Showed, after.Showed})
	}
	fmt.Fprintln(w)
	table(w, rows)
}

// change is "holds → moved", or what came or went.
func change(what, before, after string) string {
	if what == compare.Changed {
		return before + " → " + after
	}
	return what + ": " + before + after
}

func diffTimings(w io.Writer, d compare.Diff) {
	if d.Untimed != "" {
		fmt.Fprintln(w)
		paragraph(w, "", d.Untimed)
	}
	if len(d.Timings) == 0 {
		return
	}
	rows := [][]string{{"STEP", "BEFORE", "AFTER", "TIMES", "TITLE"}}
	for _, t := range d.Timings {
		times := "-"
		if t.Before > 0 {
			times = fmt.Sprintf("%.2f", t.After/t.Before)
		}
		rows = append(rows, []string{t.Step, seconds(t.Before), seconds(t.After), times, t.Title})
	}
	fmt.Fprintln(w)
	compact(w, rows)
	paragraph(w, "", "steps that "+compare.TimingRule)
}
