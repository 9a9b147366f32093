package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatIsAppendedIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	want := []Event{
		{Type: PlanStarted, Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Plan: "p"},
		{Type: StepOutput, Node: "a", Attempt: 1, Exit: 3, Stdout: "two\nlines <&>\x00\x1b[0m é", Dropped: 7, Checks: []CheckResult{{Verdict: "fail", Want: "w"}}},
		{Type: StepDone, Captured: map[string]string{"CIP": "10.96.0.7"}, Stdout: strings.Repeat("x", 200<<10)},
	}
	j, err := Open(path)
	require.NoError(t, err)
	for i, e := range want {
		require.NoError(t, j.Append(e))
		got, err := Read(path)
		require.NoError(t, err)
		assert.Equal(t, want[:i+1], got)
	}
	require.NoError(t, j.Close())

	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestAfterACrash(t *testing.T) {
	for name, torn := range map[string]string{
		"nothing torn":            "",
		"in the middle":           `{"type":"step-do`,
		"more than one block":     `{"stdout":"` + strings.Repeat("x", 100<<10),
		"nothing but the newline": `{"type":"step-done"}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.jsonl")
			j, err := Open(path)
			require.NoError(t, err)
			require.NoError(t, j.Append(Event{Type: PlanStarted}))
			_, err = j.f.WriteString(torn)
			require.NoError(t, err)
			require.NoError(t, j.Close())

			got, err := Read(path)
			require.NoError(t, err)
			assert.Len(t, got, 1, "a torn line is not an event")

			j, err = Open(path)
			require.NoError(t, err)
			require.NoError(t, j.Append(Event{Type: PlanDone}))
			require.NoError(t, j.Close())
			got, err = Read(path)
			require.NoError(t, err)
			require.Len(t, got, 2)
			assert.Equal(t, PlanDone, got[1].Type)
		})
	}
}

func TestATornOnlyLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"ty`), 0o600))
	j, err := Open(path)
	require.NoError(t, err)
	require.NoError(t, j.Append(Event{Type: PlanStarted}))
	require.NoError(t, j.Close())
	got, err := Read(path)
	require.NoError(t, err)
	assert.Len(t, got, 1)
}

func TestAForeignLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{\"type\":\"plan-started\"}\nhello\n"), 0o600))
	got, err := Read(path)
	assert.ErrorContains(t, err, "journal.jsonl:2")
	assert.Len(t, got, 1)

	_, err = Read(filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
