package private

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestManyAtOnceStartOne(t *testing.T) {
	dir := stateDir(t, "h")
	pids := make(chan int, 8)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if i%2 == 0 {
				d, err := Ensure(t.Context(), dir, Options{})
				if assert.NoError(t, err) {
					pids <- d.PID
				}
				return
			}
			cmd := caller(t, ensureIn, dir)
			out, err := cmd.Output()
			assert.NoError(t, err, "%s", out)
			pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
			assert.NoError(t, err)
			pids <- pid
		})
	}
	all.Wait()
	close(pids)
	first := <-pids
	for pid := range pids {
		assert.Equal(t, first, pid)
	}
}

func TestCallerKilledAtAnyMoment(t *testing.T) {
	dir := stateDir(t, "h")
	for round := range 6 {
		after := time.Duration(rand.IntN(120)) * time.Millisecond
		t.Run(fmt.Sprintf("%d after %s", round, after), func(t *testing.T) {
			killAfter(t, caller(t, ensureIn, dir), after)
			before, alive, err := Find(dir)
			require.NoError(t, err)

			d := ensure(t, dir)
			if alive {
				assert.Equal(t, before.PID, d.PID, "what survives is used")
			}
			virsh(t, d, "list")
			if round%2 == 0 {
				stop(t, dir)
			}
		})
	}
}

func TestStopKilledAtAnyMoment(t *testing.T) {
	dir := stateDir(t, "h")
	for round := range 4 {
		after := time.Duration(rand.IntN(80)) * time.Millisecond
		t.Run(fmt.Sprintf("%d after %s", round, after), func(t *testing.T) {
			virsh(t, ensure(t, dir), "net-create", document(t, network))
			killAfter(t, caller(t, stopIn, dir), after)
			if round%2 == 0 {
				virsh(t, ensure(t, dir), "list")
			}
			stop(t, dir)
			assert.NoFileExists(t, filepath.Join(dir, lockName))
		})
	}
}

// caller is another process that calls Ensure or Stop.
func caller(t *testing.T, what, dir string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), what+"="+dir)
	return cmd
}

func killAfter(t *testing.T, cmd *exec.Cmd, after time.Duration) {
	t.Helper()
	require.NoError(t, cmd.Start())
	time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
}
