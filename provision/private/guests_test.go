package private

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResidentPages(t *testing.T) {
	assert.Equal(t, 4711, residentPages("90000 4711 300 20 0 8000 0\n"))
	assert.Zero(t, residentPages(""), "a process that has ended")
}

// A guest is what runs inside and is called as QEMU is: here a shell.
func TestUse(t *testing.T) {
	dir := stateDir(t, "h")
	none, err := Use(dir)
	require.NoError(t, err)
	assert.Zero(t, none, "nothing was ever started there")
	d := ensure(t, dir)
	idle, err := Use(dir)
	require.NoError(t, err)
	assert.Zero(t, idle, "daemons are no guests")

	program := filepath.Join(t.TempDir(), "qemu-system-fake")
	sh, err := os.ReadFile("/bin/sh")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, sh, 0o755))
	guest := exec.CommandContext(t.Context(), "nsenter", "--target", strconv.Itoa(d.PID), "--mount", "--",
		program, "-c", "x=$(head -c 8000000 /dev/zero | tr '\\0' x); read end; echo ${#x}")
	end, err := guest.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, guest.Start())
	t.Cleanup(func() {
		_ = end.Close()
		_ = guest.Wait()
	})
	assert.Eventually(t, func() bool {
		u, err := Use(dir)
		return err == nil && u.Guests == 1 && u.ResidentMiB >= 7 && u.ResidentMiB < 100
	}, 20*time.Second, 20*time.Millisecond)

	elsewhere, err := Use(filepath.Dir(dir))
	require.NoError(t, err)
	assert.Zero(t, elsewhere, "another hypervisor's guests")
}
