package report

import (
	"fmt"
	"strings"

	"labctl/internal/journal"
)

// stages that compare, in their order, with how each is called.
var stages = []struct {
	Stage journal.Stage
	Name  string
}{
	{journal.AfterTeardown, "the write-up's teardown"},
	{journal.AfterRepair, "the repair"},
	{journal.AfterCheckpoint, "reverting to the checkpoint"},
}

func stageName(s journal.Stage) string {
	for _, known := range stages {
		if known.Stage == s {
			return known.Name
		}
	}
	return string(s)
}

// restoreLines say what became of the cluster: the verdict and what it took,
// then a line for each stage after which something differed.
func restoreLines(r journal.Restore) []string {
	var first string
	switch r.Outcome() {
	case journal.Restored:
		first = "restored"
		if r.By != "" {
			first += " by " + stageName(r.By)
		}
		first += ": nothing"
		if len(r.Remarks) > 0 {
			first += " that must be put back"
		}
		first += " differs from the baseline"
	case journal.NotRestored:
		first = "NOT restored: the cluster differs from its baseline"
	case journal.Kept:
		first = "kept as the lab left it, as asked; the baseline is owed"
	case journal.NotCompared:
		first = "not compared with a baseline"
	default:
		first = visible(r.Verdict)
	}
	if r.Error != "" {
		first += ": " + line(r.Error, 400)
	}
	lines := []string{first}
	for _, s := range stages {
		if left := r.Left[s.Stage]; len(left) > 0 {
			lines = append(lines, fmt.Sprintf("after %s %s: %s", s.Name, differed(len(left)), where(left)))
		}
	}
	if len(r.Remarks) > 0 {
		lines = append(lines, "changed for good, which counts as restored: "+where(r.Remarks))
	}
	return lines
}

func differed(n int) string {
	if n == 1 {
		return "1 piece differed"
	}
	return fmt.Sprintf("%d pieces differed", n)
}

// where names the first few differences, in their order.
func where(left []journal.Difference) string {
	const most = 8
	var all []string
	for i, d := range left {
		if i == most {
			all = append(all, fmt.Sprintf("%d more", len(left)-most))
			break
		}
		all = append(all, line(d.Node+" "+d.Section, 60))
	}
	return strings.Join(all, ", ")
}

// differences is the text of all differences after each stage, as a diff: what
// is missing with -, what is extra with +. Of each piece at most limit lines.
func differences(r journal.Restore, limit int) string {
	var b strings.Builder
	for _, s := range stages {
		if len(r.Left[s.Stage]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "after %s:\n", s.Name)
		for _, d := range r.Left[s.Stage] {
			fmt.Fprintf(&b, "%s, %s:\n", line(d.Node, 100), line(d.Section, 200))
			side(&b, "- ", d.Missing, limit)
			side(&b, "+ ", d.Extra, limit)
		}
	}
	return b.String()
}

func side(b *strings.Builder, prefix string, lines []string, limit int) {
	for i, l := range lines {
		if i == limit {
			fmt.Fprintf(b, "%s… %d lines left out …\n", prefix, len(lines)-limit)
			return
		}
		b.WriteString(prefix + whole(l) + "\n")
	}
}

// whole is a line with all its blanks, which may be what differs; one that is
// too long for anybody to read is cut.
func whole(l string) string {
	const limit = 1000
	if len(l) <= limit {
		return visible(l)
	}
	return visible(strings.ToValidUTF8(l[:limit], "")) + "…"
}
