package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// Count is how often a verdict came.
type Count struct {
	Verdict string
	N       int
}

// claimOrder is that of reports: findings first, then what needs somebody to
// look, then what is no finding.
var claimOrder = []string{
	string(plan.Holds), string(plan.Moved), string(plan.Wrong), string(plan.Answered),
	string(plan.Contested), string(plan.Ambiguous),
	string(plan.NotShown), string(plan.AboutPaper), string(plan.NotJudged),
}

var stepOrder = []string{
	plan.Pass.String(), plan.Fail.String(), plan.Error.String(), plan.Skipped.String(), plan.NotRun.String(),
}

// tally counts verdicts in the order given; those that it does not know come last.
func tally(verdicts, order []string) []Count {
	n := map[string]int{}
	for _, v := range verdicts {
		n[v]++
	}
	var counts []Count
	for _, v := range order {
		if n[v] > 0 {
			counts = append(counts, Count{v, n[v]})
		}
		delete(n, v)
	}
	rest := len(counts)
	for v := range n {
		counts = append(counts, Count{v, n[v]})
	}
	slices.SortFunc(counts[rest:], func(a, b Count) int { return cmp.Compare(a.Verdict, b.Verdict) })
	return counts
}

func claimCounts(rows []journal.ClaimRow) []Count {
	var verdicts []string
	for _, c := range rows {
		verdicts = append(verdicts, string(c.Outcome()))
	}
	return tally(verdicts, claimOrder)
}

func stepCounts(plans []journal.PlanResult) []Count {
	var verdicts []string
	for _, p := range plans {
		for _, s := range p.Steps {
			verdicts = append(verdicts, s.Outcome())
		}
	}
	return tally(verdicts, stepOrder)
}

// inWords is "12 steps: pass 11, fail 1"; "no steps" if there are none.
func inWords(noun string, counts []Count) string {
	total := 0
	var each []string
	for _, c := range counts {
		total += c.N
		each = append(each, fmt.Sprintf("%s %d", visible(c.Verdict), c.N))
	}
	switch total {
	case 0:
		return "no " + noun + "s"
	case 1:
		return "1 " + noun + ": " + visible(counts[0].Verdict)
	}
	return fmt.Sprintf("%d %ss: %s", total, noun, strings.Join(each, ", "))
}

func orNotRun(v string) string { return cmp.Or(v, plan.NotRun.String()) }

// unwell says that somebody should look at a step with this verdict.
func unwell(verdict string) bool {
	return verdict != plan.Pass.String() && verdict != plan.Skipped.String() && verdict != plan.NotRun.String()
}

// troubles are what happened to the run as a whole, one sentence each.
func troubles(r journal.Result) []string {
	var all []string
	if r.Error != "" {
		all = append(all, r.Error)
	}
	if r.Interrupted != "" {
		all = append(all, "interrupted by "+r.Interrupted)
	}
	if !r.Complete && (r.Error == "" || r.Run.ID != "") {
		all = append(all, "the record has no end: labctl was killed, or is still running")
	}
	return all
}

// lab is the name of the lab, also where the run never learnt it.
func lab(r journal.Result) string { return cmp.Or(r.Run.Lab, "labctl") }

// noTime is said of runs under emulation.
const noTime = "emulated: no time here is that of real hardware"

// emulated says that no time in the report is that of real hardware.
func emulated(r journal.Result) bool { return r.Run.Accelerator == "tcg" }

// Fact is one line of what a run was made on.
type Fact struct{ Name, Value string }

// facts are what one must know to believe a run, or to make it again.
func facts(r journal.Result) []Fact {
	run := r.Run
	var all []Fact
	add := func(name, value string) {
		if value != "" {
			all = append(all, Fact{name, value})
		}
	}
	add("run", run.ID)
	add("pair", run.Pair)
	add("topology", run.Topology)
	add("Kubernetes", run.Kubernetes)
	add("kernel", strings.Join(run.Kernels(), ", "))
	accelerator := run.Accelerator
	if emulated(r) {
		accelerator += " (emulated)"
	}
	add("accelerator", accelerator)
	add("hypervisor", run.Hypervisor)
	add("image", run.Image)
	if run.Scale > 1 {
		add("time limits", fmt.Sprintf("times %d", run.Scale))
	}
	add("from", run.From)
	add("until", run.Until)
	add("only", strings.Join(run.Only, ", "))
	if run.Seed != 0 {
		add("order", fmt.Sprintf("shuffled, seed %d", run.Seed))
	}
	add("instructor", ledLine(r))
	if !r.Started.IsZero() {
		add("started", r.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	if r.Seconds > 0 {
		add("took", seconds(r.Seconds))
	}
	add("labctl", run.Labctl)
	return all
}

// seconds is a time for people.
func seconds(s float64) string {
	switch {
	case s < 0:
		return "0.0 s"
	case s < 100:
		return fmt.Sprintf("%.1f s", s)
	}
	n := int64(s + 0.5)
	return fmt.Sprintf("%d min %02d s", n/60, n%60)
}
