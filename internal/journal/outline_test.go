package journal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An outline tells how a run went as the whole journal does.
func TestOutline(t *testing.T) {
	const path = "../../labs/conntrack-reset/recorded/v1.37.2-6.12/" + JournalFile
	events, err := Read(path)
	require.NoError(t, err)
	want := Fold(events)
	events, err = ReadOutline(path)
	require.NoError(t, err)
	got := Fold(events)

	require.Len(t, got.Plans, 3)
	assert.Greater(t, len(want.Plans[0].Steps), 50)
	for i := range want.Plans {
		for j := range want.Plans[i].Steps {
			s := &want.Plans[i].Steps[j]
			s.Captured, s.Checks, s.Chart = nil, nil, nil
			for k := range s.Attempts {
				a := s.Attempts[k]
				s.Attempts[k] = Attempt{Node: a.Node, Number: a.Number, Time: a.Time, Verdict: a.Verdict, TimedOut: a.TimedOut, Error: a.Error, Seconds: a.Seconds}
			}
		}
	}
	for i := range want.Claims {
		want.Claims[i].Showed = ""
	}
	want.Restore.Remarks = nil
	assert.Equal(t, want, got)
}

func TestOutlineOfADamagedJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), JournalFile)
	require.NoError(t, os.WriteFile(path, []byte("{\"type\":\"plan-started\"}\n{\"type\":\x00}\n{\"type\":\"plan-done\"}\n"), 0o600))
	events, err := ReadOutline(path)
	require.ErrorContains(t, err, JournalFile+":2: ")
	assert.Len(t, events, 1)
}
