package journal

import (
	"time"

	"labctl/internal/plan"
)

// outline is what of an event says how a run went, and nothing of what it saw.
type outline struct {
	Type        Type                         `json:"type"`
	Time        time.Time                    `json:"time"`
	Run         *Run                         `json:"run"`
	Phase       Phase                        `json:"phase"`
	Plan        string                       `json:"plan"`
	Group       string                       `json:"group"`
	Step        string                       `json:"step"`
	Title       string                       `json:"title"`
	Table       string                       `json:"table"`
	Node        string                       `json:"node"`
	Attempt     int                          `json:"attempt"`
	TimedOut    bool                         `json:"timedOut"`
	Verdicts    map[string]plan.ClaimVerdict `json:"verdicts"`
	Verdict     string                       `json:"verdict"`
	Error       string                       `json:"error"`
	Hint        string                       `json:"hint"`
	Seconds     float64                      `json:"seconds"`
	Text        string                       `json:"text"`
	Stage       Stage                        `json:"stage"`
	Differences []Difference                 `json:"differences"`
	ExitCode    *int                         `json:"exitCode"`
}

func (o outline) event() Event {
	return Event{
		Type: o.Type, Time: o.Time, Run: o.Run, Phase: o.Phase, Plan: o.Plan, Group: o.Group, Step: o.Step,
		Title: o.Title, Table: o.Table, Node: o.Node, Attempt: o.Attempt, TimedOut: o.TimedOut,
		Verdicts: o.Verdicts, Verdict: o.Verdict, Error: o.Error, Hint: o.Hint, Seconds: o.Seconds,
		Text: o.Text, Stage: o.Stage, Differences: o.Differences, ExitCode: o.ExitCode,
	}
}
