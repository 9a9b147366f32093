package report

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
	"time"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// maxJUnitStream is how many bytes of a stream a failing case shows: CI systems
// keep these files in databases, and refuse large ones.
const maxJUnitStream = 20 << 10

// JUnit returns junit.xml: a suite for each plan, with a case for each step; the
// suite "drill" with one case, for a run of one; the suite "claims" with a case for each claim; the suite "restore" with one case.
// What happened to the run as a whole (it did not start, it was interrupted or
// killed) is an error in the suite "run".
//
// The document is within what the JUnit schemas of Jenkins, Surefire and Ant
// have in common. All text is in attributes and character data, where
// encoding/xml escapes it; what XML has no way to say is written as \xNN.
func JUnit(r journal.Result) ([]byte, error) {
	d := junitDocument{Name: visible(lab(r))}
	d.add(r, runSuite(r))
	for _, p := range own(r.Plans) {
		d.add(r, planSuite(r, p))
	}
	d.add(r, drillSuite(r))
	d.add(r, claimSuite(r))
	d.add(r, restoreSuite(r))
	d.finish()
	body, err := xml.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(body, '\n')...), nil
}

func runSuite(r journal.Result) junitSuite {
	s := junitSuite{Name: "run", started: r.Started}
	if all := troubles(r); len(all) > 0 {
		text := strings.Join(all, "\n")
		if r.Hint != "" {
			text += "\nhint: " + short(r.Hint)
		}
		s.Cases = append(s.Cases, junitCase{
			Name:  "run",
			Class: visible(lab(r)) + ".run",
			Error: outcome("run", line(strings.Join(all, "; "), 400), text),
		})
	}
	return s
}

func planSuite(r journal.Result, p journal.PlanResult) junitSuite {
	s := junitSuite{Name: visible(string(p.Phase)), started: r.Started}
	for i, step := range p.Steps {
		if i == 0 && !step.Started.IsZero() {
			s.started = step.Started
		}
		c := junitCase{
			Name:         visible(step.ID),
			Class:        visible(lab(r)) + "." + s.Name,
			milliseconds: milliseconds(step.Seconds),
		}
		title := line(step.Title, 200)
		switch step.Outcome() {
		case plan.Pass.String():
			c.Out = text(passed(step))
		case plan.Fail.String():
			c.Failure = outcome("check", title+": "+why(step), account(step, maxJUnitStream))
		case plan.Skipped.String(), plan.NotRun.String():
			c.Skipped = &junitSkipped{Message: title + ": " + why(step)}
		default: // error, and whatever a later release may say
			c.Error = outcome("step", title+": "+why(step), account(step, maxJUnitStream))
		}
		s.Cases = append(s.Cases, c)
	}
	return s
}

// passed says of a step that passed how hard it was.
func passed(s journal.StepResult) string {
	var b strings.Builder
	block(&b, "", short(s.Title))
	for _, t := range byNode(s.Attempts) {
		if t.Total > 1 {
			fmt.Fprintf(&b, "passed on %s at attempt %d\n", visible(t.Node), t.Total)
		}
	}
	return b.String()
}

func claimSuite(r journal.Result) junitSuite {
	s := junitSuite{Name: "claims", started: r.Started}
	for _, row := range r.Claims {
		v := string(row.Outcome())
		c := junitCase{Name: visible(row.ID), Class: visible(lab(r)) + ".claims"}
		said := claimText(row)
		message := line(v+": "+row.Text, 400)
		switch plan.ClaimVerdict(v) {
		case plan.Holds, plan.Moved, plan.Wrong, plan.Answered:
			c.Out = text(said)
		case plan.Contested:
			c.Failure = outcome("claim", message, said)
		case plan.NotShown, plan.AboutPaper, plan.NotJudged:
			if row.Because != "" {
				message = line(v+": "+row.Because, 400)
			}
			c.Skipped = &junitSkipped{Message: message}
		default:
			c.Error = outcome("claim", message, said)
		}
		s.Cases = append(s.Cases, c)
	}
	return s
}

// claimText is all of a claim.
func claimText(c journal.ClaimRow) string {
	var b strings.Builder
	block(&b, "verdict: ", string(c.Outcome()))
	block(&b, "says: ", short(c.Text))
	block(&b, "where: ", short(c.Where))
	block(&b, "step: ", c.Step)
	block(&b, "showed: ", short(c.Showed))
	block(&b, "because: ", short(c.Because))
	return b.String()
}

func restoreSuite(r journal.Result) junitSuite {
	c := junitCase{Name: "restored", Class: visible(lab(r)) + ".restore"}
	lines := restoreLines(r.Restore)
	all := strings.Join(lines, "\n") + "\n" + differences(r.Restore, 200)
	switch r.Restore.Outcome() {
	case journal.Restored:
		c.Out = text(all)
	case journal.NotRestored:
		c.Failure = outcome("restore", strings.Join(lines, "; "), all)
	case journal.Kept, journal.NotCompared:
		if r.Restore.Error != "" {
			c.Error = outcome("restore", lines[0], all)
			break
		}
		c.Skipped = &junitSkipped{Message: lines[0]}
	default:
		c.Error = outcome("restore", lines[0], all)
	}
	return junitSuite{Name: "restore", started: r.Ended, Cases: []junitCase{c}}
}

// outcome is a failure or an error; both strings are visible, or become so.
func outcome(kind, message, body string) *junitOutcome {
	return &junitOutcome{Type: kind, Message: message, Text: visible(body)}
}

func text(s string) *junitText {
	if s == "" {
		return nil
	}
	return &junitText{s}
}

func milliseconds(s float64) int64 { return int64(math.Round(max(0, s) * 1000)) }

// stamp is ISO 8601 in UTC without a zone, as Ant's schema wants it.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05")
}
