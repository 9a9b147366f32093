package live

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/plan"
	"labctl/internal/sample"
)

// listed is the list of steps in few words, a line for each.
func listed(p *Page) string {
	var b strings.Builder
	for _, s := range p.sections() {
		fmt.Fprintf(&b, "%s:", s.Heading)
		for _, i := range s.Items {
			fmt.Fprintf(&b, " %s=%s", i.ID, i.State)
			if i.Looks {
				b.WriteString("(!)")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

const short = `apiVersion: labctl/v1
kind: Lab
name: short
title: A short lab
writeup: none
topology: small
steps:
  - {id: one, title: First, on: a, run: echo 1, checks: [{stdout: {equals: "1"}}]}
  - id: two
    title: Second
    on: all
    explain: Look at <this>.
    run: echo 2
    checks: [{stdout: {equals: "2"}}]
    claims: [{id: C1, where: section 1, text: It is two., says: [{stdout: {equals: "2"}}], shows: [{stdout: {equals: "3"}}], otherwise: wrong, because: It is three.}]
teardown:
  - {id: gone, title: Clear up, on: a, run: "true"}
repair:
  - {id: mend, title: Mend, on: a, run: "true"}
`

func shortLab(t *testing.T) lab.Lab {
	t.Helper()
	l, err := lab.Parse("short.yaml", []byte(short))
	require.NoError(t, err)
	return l
}

func shortRun() []journal.Event {
	check := func(verdict, got string) []journal.CheckResult {
		return []journal.CheckResult{{Verdict: verdict, Want: `stdout equals "2"`, Got: got, Pos: "short.yaml:13:10"}}
	}
	side := func(verdict string, side plan.Side, want string) journal.CheckResult {
		return journal.CheckResult{Verdict: verdict, Want: want, Got: "3", Pos: "x" + string(side), Side: side}
	}
	claims := []journal.ClaimResult{{ID: "C1", Checks: []journal.CheckResult{side("fail", plan.Says, `stdout equals "2"`), side("pass", plan.Shows, `stdout equals "3"`)}}}
	return []journal.Event{
		{Type: journal.RunStarted, Run: &journal.Run{ID: "short/1", Lab: "short", Title: "A short lab", Claims: []journal.ClaimInfo{{ID: "C1", Where: "section 1", Text: "It is two.", Step: "two", Because: "It is three."}}}},
		{Type: journal.PlanStarted, Phase: journal.Steps, Plan: "short"},
		{Type: journal.StepStarted, Phase: journal.Steps, Step: "one", Title: "First"},
		{Type: journal.StepOutput, Phase: journal.Steps, Step: "one", Node: "a", Attempt: 1, Script: "echo 1", Stdout: "1\n", Verdict: "pass"},
		{Type: journal.StepDone, Phase: journal.Steps, Step: "one", Title: "First", Verdict: "pass"},
		{Type: journal.StepStarted, Phase: journal.Steps, Step: "two", Title: "Second"},
		{Type: journal.StepOutput, Phase: journal.Steps, Step: "two", Node: "a", Attempt: 1, Script: "echo 2", Stdout: "first\n3\n", Verdict: "fail", Checks: check("fail", "3"), Claims: claims},
		{Type: journal.StepOutput, Phase: journal.Steps, Step: "two", Node: "b", Attempt: 1, Script: "echo 2", Stdout: "2\n", Verdict: "pass", Checks: check("pass", "2"), Claims: claims},
		{Type: journal.StepDone, Phase: journal.Steps, Step: "two", Title: "Second", Verdict: "fail", Verdicts: map[string]plan.ClaimVerdict{"C1": plan.Wrong}},
		{Type: journal.PlanDone, Phase: journal.Steps, Plan: "short", Verdict: "fail"},
		{Type: journal.PlanStarted, Phase: journal.Teardown, Plan: "short-teardown"},
		{Type: journal.StepStarted, Phase: journal.Teardown, Step: "gone", Title: "Clear up"},
		{Type: journal.StepDone, Phase: journal.Teardown, Step: "gone", Title: "Clear up", Verdict: "pass"},
		{Type: journal.PlanDone, Phase: journal.Teardown, Plan: "short-teardown", Verdict: "pass"},
		{Type: journal.Compared, Stage: journal.AfterTeardown},
		{Type: journal.RunDone, Verdict: "fail"},
	}
}

// TestPageOverARun looks at the list and at what is at hand after each event that
// changes them.
func TestPageOverARun(t *testing.T) {
	p, err := New()
	require.NoError(t, err)
	assert.Empty(t, listed(p))
	require.NoError(t, p.Lab(shortLab(t)))
	was := map[int]string{
		0:  "Steps: one=ahead two=ahead\nTeardown: gone=ahead\n@start",
		2:  "Steps: one=running two=ahead\nTeardown: gone=ahead\n@steps/one",
		4:  "Steps: one=pass two=ahead\nTeardown: gone=ahead\n@steps/one",
		5:  "Steps: one=pass two=running\nTeardown: gone=ahead\n@steps/two",
		8:  "Steps: one=pass two=fail(!)\nTeardown: gone=ahead\n@steps/two",
		11: "Steps: one=pass two=fail(!)\nTeardown: gone=running\n@teardown/gone",
		15: "Steps: one=pass two=fail(!)\nTeardown: gone=pass\n@end",
	}
	for i, e := range shortRun() {
		require.NoError(t, p.Events([]journal.Event{e}))
		if want, ok := was[i]; ok {
			assert.Equal(t, want, listed(p)+"@"+p.track.at, "after event %d", i)
		}
	}
	t.Run("without the lab", func(t *testing.T) {
		p, err := New()
		require.NoError(t, err)
		require.NoError(t, p.Events(shortRun()[:6]))
		assert.Equal(t, "Steps: one=pass two=running\n", listed(p))
		_, err = p.detail("steps/two")
		assert.NoError(t, err)
	})
}

var tags = regexp.MustCompile(`<[^>]*>`)

// shown is what somebody reads of a key.
func shown(t *testing.T, p *Page, key string) string {
	t.Helper()
	html, err := p.detail(key)
	require.NoError(t, err)
	return strings.Join(strings.Fields(tags.ReplaceAllString(html, " ")), " ")
}

func TestStepBeforeAndAfter(t *testing.T) {
	p, err := New()
	require.NoError(t, err)
	require.NoError(t, p.Lab(shortLab(t)))
	require.NoError(t, p.Events(shortRun()[:5]))
	text := shown(t, p, "steps/two")
	for _, want := range []string{
		"Steps 2 of 2 · two · on all", "Second ahead Look at &lt;this&gt;. echo 2", `Expected wanted stdout equals &#34;2&#34;`,
		"C1 claim section 1 It is two.", "holds if ○", "wrong if ○", "Seen not run yet",
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "It is three.", "that would spoil it")
	require.NoError(t, p.Events(shortRun()[5:9]))
	text = shown(t, p, "steps/two")
	for _, want := range []string{
		"Second fail", `fail a stdout equals &#34;2&#34; came 3 pass b stdout equals &#34;2&#34;`,
		"C1 wrong section 1 It is two. It is three. holds if ✗", "wrong if ✓ pass: stdout equals &#34;3&#34;",
		"Seen a exit 0 after 0.0 s first 3", "b exit 0 after 0.0 s 2",
	} {
		assert.Contains(t, text, want)
	}
	html, err := p.detail("steps/two")
	require.NoError(t, err)
	assert.Contains(t, html, "<mark>3</mark>", "the line that a check rests on")
	assert.NotContains(t, html, "<mark>first")
	assert.Contains(t, shown(t, p, keyEnd), "so far 2 steps: pass 1, fail 1 1 wrong")
	require.NoError(t, p.Events(shortRun()[9:]))
	assert.Contains(t, shown(t, p, keyEnd), "fail 3 steps: pass 2, fail 1 · took 0.0 s restored by the write-up&#39;s teardown")
}

// TestRecordedRun: a whole run on a real pair, event by event, has a page at any time,
// and each step of it one of its own.
func TestRecordedRun(t *testing.T) {
	l, events := recorded(t)
	p, err := New()
	require.NoError(t, err)
	require.NoError(t, p.Lab(l))
	steps := len(l.Steps.Steps) + len(l.Teardown.Steps)
	count := func() (n int) {
		for _, s := range p.sections() {
			n += len(s.Items)
		}
		return n
	}
	for some := range slices.Chunk(events, 7) {
		require.NoError(t, p.Events(some))
		assert.GreaterOrEqual(t, count(), steps)
		require.NotEmpty(t, shown(t, p, p.track.at))
	}
	assert.Equal(t, steps+len(l.Repair.Steps), count())
	assert.Empty(t, p.track.running)
	looks := 0
	for _, s := range p.sections() {
		for _, i := range s.Items {
			assert.Equal(t, "pass", i.State, i.Key)
			text := shown(t, p, i.Key)
			assert.NotContains(t, text, "not run yet", i.Key)
			for _, c := range i.Claims {
				assert.Contains(t, text, c.ID+" "+c.Verdict, i.Key)
			}
			if i.Looks {
				looks++
			}
		}
	}
	assert.Positive(t, looks, "the write-up is wrong here and there")
}

var keys = regexp.MustCompile(` data-key="[^"]*"`)

// TestHostile: what a guest printed, and what a node's rules say, is never markup.
func TestHostile(t *testing.T) {
	const bad = `<script>alert(1)</script><img src=x onerror=alert(2)>"'` + "\u202e\x1b[2J"
	s := serve(t)
	require.NoError(t, s.Nodes([]string{"cp"}))
	require.NoError(t, s.Node(sample.Node{Name: "cp", Trouble: bad, Rules: sample.Pane{Lines: []sample.Line{{Text: bad, New: true}}, Lack: bad}}))
	require.NoError(t, s.Events([]journal.Event{
		{Type: journal.RunStarted, Run: &journal.Run{ID: bad, Lab: bad, Title: bad, Claims: []journal.ClaimInfo{{ID: bad, Text: bad, Step: bad}}}},
		{Type: journal.PlanStarted, Phase: bad, Plan: bad},
		{Type: journal.StepStarted, Phase: bad, Step: bad, Title: bad},
		{Type: journal.StepOutput, Phase: bad, Step: bad, Node: bad, Attempt: 1, Script: bad, Stdout: bad, Stderr: bad, Error: bad, Verdict: bad, Checks: []journal.CheckResult{{Verdict: bad, Want: bad, Got: bad}}},
		{Type: journal.StepDone, Phase: bad, Step: bad, Title: bad, Verdict: bad, Error: bad, Hint: bad, Captured: map[string]string{bad: bad}, Verdicts: map[string]plan.ClaimVerdict{bad: bad}},
		{Type: journal.RunDone, Verdict: bad, Error: bad, Hint: bad},
	}))
	next, _ := stream(t, s, "")
	_, _, data := next()
	parts := map[string]string{}
	require.NoError(t, json.Unmarshal([]byte(data), &parts))
	all := slices.Collect(maps.Values(parts))
	for _, key := range []string{keyStart, keyEnd, bad + "/" + bad} {
		html, err := s.detail(key)
		require.NoError(t, err)
		all = append(all, html)
	}
	answer := s.get(t, "report/", nil)
	content, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	for _, html := range append(all, string(content)) {
		html = keys.ReplaceAllString(html, "") // nobody reads them
		assert.NotRegexp(t, "(?i)<script|<img|\x1b|\u202e", html)
	}
	assert.Contains(t, string(content), `http-equiv="Content-Security-Policy"`)
}

// A run that says nothing for longer than its longest step may take has no end; how
// long that is depends on the lab, and on how its limits are scaled.
func TestRunWithoutAnEnd(t *testing.T) {
	l, events := recorded(t)
	events = since(upTo(t, events, journal.StepStarted, "step-05"))
	head := func(l lab.Lab, silent time.Duration) string {
		p, err := New()
		require.NoError(t, err)
		require.NoError(t, p.Lab(l))
		quiet := slices.Clone(events)
		for i := range quiet {
			quiet[i].Time = quiet[i].Time.Add(-silent)
		}
		require.NoError(t, p.Events(quiet))
		return p.board.parts["head"].html
	}
	assert.Contains(t, head(l, time.Minute), ">running<")
	assert.Contains(t, head(l, 24*time.Hour), ">no end<")
	patient := l
	patient.Steps.Steps = slices.Clone(l.Steps.Steps)
	patient.Steps.Steps[0].Timeout = 2 * time.Hour // times 8 in this run
	assert.Contains(t, head(patient, 24*time.Hour), ">running<")
	assert.Contains(t, head(patient, 33*time.Hour), ">no end<")
}
