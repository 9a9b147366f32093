package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/needtest"
)

// systemd reads the units and knows each word in them.
func TestUnits(t *testing.T) {
	analyze := needtest.Program(t, "systemd-analyze")
	verify := func(slip string) string {
		dir := t.TempDir()
		for _, name := range []string{"labctl-nightly.service", "labctl-nightly.timer"} {
			unit, err := os.ReadFile(name)
			require.NoError(t, err)
			// It wants the programs to be there, too.
			text := strings.ReplaceAll(string(unit), "/usr/bin/labctl", "/bin/true")
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.Replace(text, "Type=oneshot", "Type=oneshot"+slip, 1)), 0o600))
		}
		// Without a manual on this machine, man(1) has nothing to say.
		out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no",
			filepath.Join(dir, "labctl-nightly.service"), filepath.Join(dir, "labctl-nightly.timer")).CombinedOutput()
		if err != nil && len(out) == 0 {
			return err.Error()
		}
		return string(out)
	}
	assert.Empty(t, verify(""))
	assert.Contains(t, verify("\nTimeoutStopsSec=1"), "TimeoutStopsSec")
}
