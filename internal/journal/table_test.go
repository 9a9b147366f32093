package journal

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tabled is a run of a table of which each row has two steps; each row of words
// is their verdicts, "" for one of which the journal says nothing.
func tabled(rows ...[2]string) []Event {
	info := TableInfo{ID: "cells", Title: "Cells", Columns: []string{"CELL"}, Captures: []string{"SEEN"}}
	events := []Event{{Type: RunStarted, Run: &Run{}}, {Type: PlanStarted, Phase: Steps}}
	for i, verdicts := range rows {
		cell := string(rune('a' + i))
		info.Rows = append(info.Rows, RowInfo{Values: map[string]string{"CELL": cell}, Steps: []string{cell + "1", cell + "2"}})
		for n, verdict := range verdicts {
			if verdict == "" {
				continue
			}
			e := Event{Type: StepDone, Phase: Steps, Step: info.Rows[i].Steps[n], Table: "cells", Row: i + 1, Verdict: verdict}
			if verdict != "not run" {
				e.Seconds = 2
			}
			if n == 1 && verdict != "not run" {
				e.Captured = map[string]string{"SEEN": "seen " + cell}
			}
			events = append(events, e)
		}
	}
	events[0].Run.Tables = []TableInfo{info}
	return events
}

func TestTableOfARun(t *testing.T) {
	for _, c := range []struct {
		name        string
		steps       [2]string
		verdict, at string
	}{
		{"all pass", [2]string{"pass", "pass"}, "pass", ""},
		{"one fails", [2]string{"fail", "not run"}, "fail", "a1"},
		{"the worst of all", [2]string{"fail", "error"}, "error", "a1"},
		{"nothing ran", [2]string{"not run", "not run"}, "not run", ""},
		{"the run ended in the middle", [2]string{"pass", "not run"}, "not run", "a2"},
		{"the journal ends in the middle", [2]string{"pass", ""}, "not run", "a2"},
		{"nobody asked for the first", [2]string{"skipped", "pass"}, "skipped", ""},
		{"nobody asked for the last", [2]string{"pass", "skipped"}, "skipped", ""},
		{"nobody asked for one, and the other fails", [2]string{"skipped", "fail"}, "fail", "a2"},
		{"nobody asked for any", [2]string{"skipped", "skipped"}, "skipped", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Fold(tabled(c.steps))
			require.Len(t, r.Tables, 1)
			require.Len(t, r.Tables[0].Rows, 1)
			row := r.Tables[0].Rows[0]
			assert.Equal(t, c.verdict, row.Verdict)
			assert.Equal(t, c.at, row.At)
		})
	}
}

func TestRowsKeepWhatTheyCaptured(t *testing.T) {
	for _, step := range Fold(tabled([2]string{"pass", "pass"})).Plans[0].Steps {
		assert.Equal(t, "cells", step.Table)
	}
	table := Fold(tabled([2]string{"pass", "pass"}, [2]string{"pass", "fail"}, [2]string{"not run", "not run"})).Tables[0]
	assert.Equal(t, "Cells", table.Title)
	assert.Equal(t, []string{"CELL"}, table.Columns)
	assert.Equal(t, []string{"SEEN"}, table.Captures)
	require.Len(t, table.Rows, 3)
	assert.Equal(t, RowResult{
		RowInfo:  RowInfo{Values: map[string]string{"CELL": "b"}, Steps: []string{"b1", "b2"}},
		Captured: map[string]string{"SEEN": "seen b"}, Verdict: "fail", At: "b2", Seconds: 4,
	}, table.Rows[1])
	assert.Nil(t, table.Rows[2].Captured)
	assert.Zero(t, table.Rows[2].Seconds)
	assert.Nil(t, Fold(story()).Tables)
}
