package report

import (
	"fmt"
	"strings"

	"labctl/internal/journal"
)

// Sizes of report.md: it is pasted into issues and summaries of CI, which take
// 64 KiB or so, and refuse longer ones whole.
const (
	maxMarkdownStream = 4 << 10
	maxMarkdownLines  = 40
	maxMarkdownCell   = 240
	// Beyond this much, failing steps have their reason only.
	maxMarkdownWhole = 40 << 10
)

// Markdown returns report.md: a summary, the table of claims, the steps that did
// not pass, and the restore. It is GitHub's dialect. What guests printed stands
// in code blocks, all other text is escaped: none of it is markup.
func Markdown(r journal.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n", inline(lab(r), 100), inline(r.Outcome(), 100))
	if r.Run.Title != "" {
		b.WriteString(inline(r.Run.Title, 400) + "\n\n")
	}
	for _, t := range troubles(r) {
		b.WriteString("**" + inline(t, 1000) + "**\n\n")
	}
	if r.Hint != "" {
		b.WriteString("hint: " + inline(r.Hint, 400) + "\n\n")
	}
	b.WriteString("- " + inline(inWords("step", stepCounts(own(r.Plans))), 400) + "\n")
	b.WriteString("- " + inline(inWords("claim", claimCounts(r.Claims)), 400) + "\n")
	for _, l := range restoreLines(r.Restore) {
		b.WriteString("- " + inline(l, 1000) + "\n")
	}
	if emulated(r) {
		b.WriteString("\n**" + noTime + "**\n")
	}
	b.WriteString("\n| | |\n|---|---|\n")
	for _, f := range facts(r) {
		row(&b, f.Name, f.Value)
	}
	tables := maxMarkdownTables
	if r.Drill != nil {
		markdownDrill(&b, *r.Drill)
		tables -= maxMarkdownDrill // most of a lab's tables is not run then
	}
	markdownTables(&b, r.Tables, tables)
	markdownClaims(&b, r.Claims)
	markdownSteps(&b, own(r.Plans))
	markdownCharts(&b, own(r.Plans))
	if text := differences(r.Restore, maxMarkdownLines); text != "" {
		b.WriteString("\n## What was not as before\n\n")
		b.WriteString("`-` was there before the run, `+` was not.\n\n")
		fence(&b, "diff", elide(text, 2*maxMarkdownStream))
	}
	return b.String()
}

func markdownClaims(b *strings.Builder, rows []journal.ClaimRow) {
	if len(rows) == 0 {
		return
	}
	b.WriteString("\n## Claims\n\n")
	row(b, "claim", "where", "verdict", "what it says", "what the cluster showed", "step")
	b.WriteString("|---|---|---|---|---|---|\n")
	for _, c := range rows {
		showed := c.Showed
		if c.Because != "" {
			showed = strings.TrimSpace(line(showed, maxMarkdownCell) + " (" + c.Because + ")")
		}
		row(b, c.ID, c.Where, string(c.Outcome()), c.Text, showed, c.Step)
	}
}

func markdownSteps(b *strings.Builder, plans []journal.PlanResult) {
	all := unwellOf(plans)
	if len(all) == 0 {
		return
	}
	b.WriteString("\n## Steps that did not pass\n")
	for _, s := range all {
		fmt.Fprintf(b, "\n### %s: %s: %s\n\n", inline(s.ID, 100), inline(s.Title, 200), inline(s.Outcome(), 20))
		b.WriteString(inline(why(s), 400) + "\n\n")
		if b.Len() > maxMarkdownWhole {
			b.WriteString("Whole in " + HTMLFile + ".\n")
			continue
		}
		fence(b, "text", account(s, maxMarkdownStream))
	}
}

// row writes a row of a table.
func row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("| " + inline(c, maxMarkdownCell) + " ")
	}
	b.WriteString("|\n")
}

// markup is what means something within a line. Mentions and links that GitHub
// would make of plain text are broken up by an entity, which reads the same.
var markup = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "://", "&#58;//", "www.", "www&#46;", "@", "&#64;",
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "#", `\#`, "|", `\|`, "~", `\~`, "$", `\$`,
)

// inline is text on one line, of at most so many columns, without any meaning as
// markup within that line.
func inline(text string, limit int) string { return markup.Replace(line(text, limit)) }

// fence writes text as a code block whose fence is longer than any in the text.
func fence(b *strings.Builder, language, text string) {
	longest, run := 2, 0
	for _, c := range text {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	marks := strings.Repeat("`", longest+1)
	b.WriteString(marks + language + "\n" + text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString(marks + "\n")
}
