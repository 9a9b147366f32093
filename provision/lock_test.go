package provision

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHolderNow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pair")
	_, held := HolderNow(dir)
	assert.False(t, held, "nobody was ever there")

	unlock, err := Lock(dir, "pair", "run three")
	require.NoError(t, err)
	h, held := HolderNow(dir)
	assert.True(t, held)
	assert.Equal(t, "run three", h.Doing)
	assert.Equal(t, os.Getpid(), h.PID)
	assert.False(t, h.Since.IsZero())

	unlock()
	h, held = HolderNow(dir)
	assert.False(t, held, "the process lives, and let go of it")
	assert.Equal(t, "run three", h.Doing, "who was the last is still told")

	// Its number may belong to another process by now.
	require.NoError(t, os.WriteFile(lockPath(dir), []byte(`{"pid":1,"doing":"reset"}`), 0o600))
	_, held = HolderNow(dir)
	assert.False(t, held)
	require.NoError(t, os.WriteFile(lockPath(dir), []byte(`{"pid":`), 0o600))
	_, held = HolderNow(dir)
	assert.False(t, held, "half-written")
}
