package image

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRunEndsTheWholeGroupAndLetsItCleanUp(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !exists(filepath.Join(dir, "started")) {
			_ = pause(t.Context(), 10*time.Millisecond)
		}
		cancel()
	}()
	// The child would hold the pipe, and so the caller, for a minute.
	script := `cd "$1"; trap 'touch cleaned; exit 1' TERM; sleep 60 & touch started; wait`
	began := time.Now()
	_, err := run(ctx, nil, "sh", "-c", script, "sh", dir)
	require.ErrorIs(t, err, context.Canceled)
	assert.Less(t, time.Since(began), 15*time.Second)
	assert.FileExists(t, filepath.Join(dir, "cleaned"))
}

func TestRunTellsWhatAProgramSaid(t *testing.T) {
	_, err := run(t.Context(), nil, "sh", "-c", "echo out; echo wrong >&2; exit 3")
	require.EqualError(t, err, "running sh: exit status 3:\nwrong\nout")
	out, err := run(t.Context(), []string{"A=b"}, "sh", "-c", `echo "$A $TZ"`)
	require.NoError(t, err)
	assert.Equal(t, "b UTC\n", out)
}

func TestMissingProgramHasAHint(t *testing.T) {
	_, err := run(t.Context(), nil, "labctl-no-such-program")
	var missing *MissingProgramError
	require.ErrorAs(t, err, &missing)
	assert.Contains(t, missing.Hint(), "apt-get install mmdebstrap")
	_, err = run(t.Context(), nil, filepath.Join(t.TempDir(), "apt-helper"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestControlFields(t *testing.T) {
	fields := controlFields("Package: a\nDescription: one\n two: three\nVersion: 1:2.3-4\n")
	assert.Equal(t, map[string]string{"Package": "a", "Description": "one", "Version": "1:2.3-4"}, fields)
}
