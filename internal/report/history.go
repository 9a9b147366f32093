package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"labctl/internal/compare"
	"labctl/internal/journal"
	"labctl/internal/plan"
)

// History writes the history of a lab on a terminal, in at most 120 columns: one
// line a run, the newest last, then what is odd about them.
func History(w io.Writer, h compare.History) {
	fmt.Fprintf(w, "lab %s: %s\n\n", line(h.Lab, 60), plural(len(h.Runs), "run"))
	rows := [][]string{{"", "STARTED", "KUBERNETES", "KERNEL", "ACCEL", "VERDICT", "RESTORED", "TOOK", "CLAIMS"}}
	for _, l := range h.Runs {
		rows = append(rows, []string{
			fmt.Sprint(l.Number), minute(l), or(l.Kubernetes), or(shortKernel(h, l.Kernel)), or(l.Accelerator),
			verdictOfKind(l), restoredWord(l), or(took(l)), cmp.Or(l.Trouble, countWords(l, " ")),
		})
	}
	compact(w, rows)
	if slices.ContainsFunc(h.Runs, func(l compare.Line) bool { return l.Trouble != "" }) {
		fmt.Fprintln(w)
	}
	for _, l := range h.Runs {
		if l.Trouble != "" { // it is a sentence, and cut above
			paragraph(w, "", fmt.Sprintf("run %d, %s: %s", l.Number, l.Run, l.Trouble))
		}
	}
	historySection(w, "flaky steps", compare.FlakyRule, flakyRows(h))
	historySection(w, "steps whose margin shrinks", compare.MarginRule, marginRows(h))
	historySection(w, "claims whose verdict changed", compare.ChangeRule, changeRows(h))
}

func historySection(w io.Writer, title, rule string, rows [][]string) {
	fmt.Fprintln(w)
	if len(rows) == 1 {
		paragraph(w, "", title+": none")
		return
	}
	paragraph(w, "", title+": "+rule)
	fmt.Fprintln(w)
	table(w, rows)
}

func flakyRows(h compare.History) [][]string {
	rows := [][]string{{"STEP", "DID NOT PASS", "KUBERNETES", "KERNEL", "ACCEL", "IN RUNS"}}
	for _, f := range h.Flaky {
		rows = append(rows, []string{
			f.Step, howOften(f), or(f.Kubernetes), or(shortKernel(h, f.Kernel)), or(f.Accelerator), numbers(f.Not),
		})
	}
	return rows
}

// howOften is "3 of 40 (8 %)".
func howOften(f compare.Flaky) string {
	return fmt.Sprintf("%d of %d (%s)", len(f.Not), f.Of, percent(float64(len(f.Not))/float64(f.Of)))
}

func marginRows(h compare.History) [][]string {
	rows := [][]string{{"STEP", "NEWEST/LIMIT", "OF", "FIRST THIRD", "LAST THIRD", "KERNEL", "ACCEL", "RUNS"}}
	for _, m := range h.Margins {
		rows = append(rows, []string{
			m.Step, used(m.Newest), limitName(m.Newest), percent(m.Before), percent(m.Now),
			or(shortKernel(h, m.Kernel)), or(m.Accelerator), fmt.Sprintf("%d of %d to %d", m.Runs, m.From, m.To),
		})
	}
	return rows
}

// used is "48.9 s/80.0 s (61 %)".
func used(u compare.Use) string {
	return fmt.Sprintf("%s/%s (%s)", seconds(u.Used), seconds(u.Limit), percent(u.Share()))
}

// limitName says which limit it is.
func limitName(u compare.Use) string {
	if u.Of == "retry" {
		return "trying again"
	}
	return "one attempt"
}

func changeRows(h compare.History) [][]string {
	rows := [][]string{{"CLAIM", "WHERE", "VERDICT", "RUNS", "WHEN", "VERSIONS"}}
	for _, c := range h.Changes {
		from, to := h.Runs[c.From-1], h.Runs[c.To-1]
		rows = append(rows, []string{
			c.Claim, c.Where, change(compare.Changed, string(c.Before), string(c.After)),
			fmt.Sprintf("%d → %d", c.From, c.To), day(from) + " → " + day(to), strings.Join(versions(h, from, to), ", "),
		})
	}
	return rows
}

// versions are those of two runs in one series, what differs between them first.
func versions(h compare.History, from, to compare.Line) []string {
	var differ, same []string
	for _, v := range []struct{ name, from, to string }{
		{"Kubernetes", from.Kubernetes, to.Kubernetes},
		{"labctl", from.Labctl, to.Labctl},
		{"kernel", shortKernel(h, from.Kernel), shortKernel(h, to.Kernel)},
		{"", from.Accelerator, to.Accelerator},
	} {
		name := strings.TrimLeft(v.name+" ", " ")
		switch {
		case v.from != v.to:
			differ = append(differ, name+or(v.from)+" → "+or(v.to))
		case v.to != "" && v.name != "labctl":
			same = append(same, name+v.to)
		}
	}
	if from.File != to.File {
		differ = append(differ, "another lab file")
	}
	return append(differ, same...)
}

func or(text string) string { return cmp.Or(text, "-") }

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

func numbers(all []int) string {
	words := make([]string, len(all))
	for i, n := range all {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}

func minute(l compare.Line) string {
	if l.Started.IsZero() {
		return "-"
	}
	return l.Started.UTC().Format("2006-01-02 15:04")
}

func day(l compare.Line) string {
	if l.Started.IsZero() {
		return "-"
	}
	return l.Started.UTC().Format("2006-01-02")
}

// took is how long a run took; empty if nobody knows.
func took(l compare.Line) string {
	if l.Seconds <= 0 {
		return ""
	}
	return seconds(l.Seconds)
}

// verdictOfKind says of a run that is no whole one what it is.
func verdictOfKind(l compare.Line) string {
	if l.Kind == compare.Whole {
		return l.Verdict
	}
	return l.Verdict + " (" + string(l.Kind) + ")"
}

// restoredWord is by what the cluster was restored, or that it was not.
func restoredWord(l compare.Line) string {
	switch l.Restored {
	case journal.Restored:
		return or(string(l.By))
	case journal.NotCompared:
		return "-"
	}
	return l.Restored
}

// countWords are the counts of claims but for those that no cluster shows. What
// needs somebody to look comes first, where it is not cut.
func countWords(l compare.Line, between string) string {
	var all []string
	for _, v := range slices.Concat([]string{string(plan.Contested), string(plan.Ambiguous)}, claimOrder[:4], []string{string(plan.NotJudged)}) {
		if n := l.Counts[plan.ClaimVerdict(v)]; n > 0 {
			all = append(all, fmt.Sprintf("%s %d", v, n))
		}
	}
	return strings.Join(all, between)
}

// shortKernel is a kernel's release up to the first + or -, if that is enough to
// tell it from the others in the history.
func shortKernel(h compare.History, kernel string) string {
	cut := func(k string) string { return k[:len(k)-len(strings.TrimLeft(k, "0123456789."))] }
	brief := cut(kernel)
	if brief == "" {
		return kernel
	}
	for _, s := range h.Series {
		if s.Kernel != kernel && cut(s.Kernel) == brief {
			return kernel
		}
	}
	return brief
}
