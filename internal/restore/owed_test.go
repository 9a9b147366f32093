package restore

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func owed() Owed {
	return Owed{
		Lab: "conntrack-reset", Run: "runs/conntrack-reset/20261130T070000Z", Pair: "pair", PID: 4711,
		Started: time.Date(2026, 11, 30, 7, 0, 0, 0, time.UTC),
	}
}

func TestOwed(t *testing.T) {
	dir := t.TempDir()
	none, err := ReadOwed(dir)
	require.NoError(t, err)
	require.Nil(t, none)
	require.NoError(t, ClearOwed(dir), "nothing to clear is no error")

	o := owed()
	require.NoError(t, WriteOwed(dir, o))
	info, err := os.Stat(filepath.Join(dir, "owed.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	got, err := ReadOwed(dir)
	require.NoError(t, err)
	require.Equal(t, &o, got)

	o.PID++
	require.NoError(t, WriteOwed(dir, o))
	got, err = ReadOwed(dir)
	require.NoError(t, err)
	require.Equal(t, &o, got)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left beside it")

	require.NoError(t, ClearOwed(dir))
	none, err = ReadOwed(dir)
	require.NoError(t, err)
	require.Nil(t, none)
}

func TestOwedDamaged(t *testing.T) {
	whole, err := json.Marshal(owed())
	require.NoError(t, err)
	tests := map[string]string{
		"empty":           "",
		"half":            string(whole[:len(whole)/2]),
		"zeroes":          string(make([]byte, 100)),
		"another file":    `{"lab":"a","pair":"b","color":"red"}`,
		"no lab":          `{"pair":"b"}`,
		"no pair":         `{"lab":"a"}`,
		"null":            `null`,
		"two records":     string(whole) + string(whole),
		"something after": string(whole) + "x",
	}
	for name, content := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "second")
			require.NoError(t, os.Mkdir(dir, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "owed.json"), []byte(content), 0o600))
			o, err := ReadOwed(dir)
			require.Nil(t, o)
			var damaged *OwedDamagedError
			require.ErrorAs(t, err, &damaged)
			require.Contains(t, damaged.Hint(), "labctl reset second")
			require.Contains(t, damaged.Hint(), filepath.Join(dir, "owed.json"))
		})
	}
}

func TestOwedErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "gone")
	require.ErrorIs(t, WriteOwed(missing, owed()), os.ErrNotExist)
	require.ErrorContains(t, WriteOwed(t.TempDir(), Owed{Lab: "x"}), "it names no lab or no pair")

	// Something that is there and cannot be read is never "nothing owed".
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "owed.json", "x"), 0o700))
	_, err := ReadOwed(dir)
	require.ErrorContains(t, err, "reading owed record")
	require.ErrorContains(t, ClearOwed(dir), "clearing owed record")
}

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "baseline.json")
	f := read(t, "node.raw", raw(t, "node.raw"))
	f.Time = time.Date(2026, 11, 30, 7, 0, 0, 0, time.UTC)
	require.NoError(t, Save(path, f))
	got, err := Load(path)
	require.NoError(t, err)
	require.Equal(t, f, got)

	_, err = Load(path + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, content := range []string{"", "{", "{}", "null"} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err = Load(path)
		require.ErrorContains(t, err, "loading fingerprint")
	}
}
