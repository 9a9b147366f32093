package private

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDeadLinger asks in a process namespace whose first process never collects
// an orphan, and again with a reaper in it.
func TestDeadLinger(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a process namespace: run without -short, as root, as `make test` does")
	}
	ask := func(wrapper ...string) string {
		argv := append([]string{"--pid", "--fork", "--mount-proc", "--"}, append(wrapper, os.Args[0])...)
		cmd := exec.CommandContext(t.Context(), "unshare", argv...)
		cmd.Env = append(os.Environ(), askLinger+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return strings.TrimSpace(string(out))
	}
	assert.Equal(t, "true", ask())
	assert.Equal(t, "false", ask("tini", "-s", "--"))
}
