package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKilledAtAnyMoment brings real small guests up and down, round after round,
// and kills labctl with -9 at a random moment in every other round. Then another
// up finishes, or a down cleans; after the last down nothing is left and the
// host is as it was. LABCTL_ROUNDS says how many rounds, LABCTL_SEED which
// moments.
func TestKilledAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("boots real guests: run without -short, as root, as `make test` does")
	}
	cache := smallImage(t)
	state := filepath.Join(t.TempDir(), "state")
	t.Cleanup(func() { stopAll(t, state) })
	rounds, seed := number(t, "LABCTL_ROUNDS", 4), number(t, "LABCTL_SEED", int(time.Now().UnixNano()%1e6))
	t.Logf("rounds %d, LABCTL_SEED=%d", rounds, seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	labctl := func(args ...string) *exec.Cmd {
		self, err := os.Executable()
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), self, args...)
		cmd.Args[0] = "labctl" // testscript.Main then is labctl
		cmd.Env = append(os.Environ(), "LABCTL_STATE="+state, "LABCTL_CACHE="+cache, "LIBVIRT_DEFAULT_URI=")
		return cmd
	}
	must := func(args ...string) {
		out, err := labctl(args...).CombinedOutput()
		require.NoError(t, err, "labctl %s:\n%s", strings.Join(args, " "), out)
	}
	before := hostState(t)
	for round := range rounds {
		up := []string{"up", "small", "--hypervisor", "private"}
		if round%2 == 0 {
			must(up...)
		} else {
			moment := time.Duration(random.Int64N(int64(12 * time.Second)))
			cmd := labctl(up...)
			require.NoError(t, cmd.Start())
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case <-ended:
				t.Logf("round %d: up ended before it was killed", round)
			case <-time.After(moment):
				require.NoError(t, cmd.Process.Kill())
				<-ended
				t.Logf("round %d: killed after %s", round, moment.Round(time.Millisecond))
			}
			if round%4 == 1 {
				must(up...)
			}
		}
		must("down", "small", "--hypervisor", "private")
		left := leftOf(t, state)
		require.Empty(t, left, "round %d", round)
	}
	assert.Equal(t, before, hostState(t))
}

func number(t *testing.T, name string, fallback int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, name)
	return n
}

// hostState is what a private hypervisor must not change.
func hostState(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	for _, words := range [][]string{
		{"ip", "-o", "link"}, {"ip", "-o", "address"}, {"ip", "route", "show", "table", "all"},
		{"ip", "netns", "list"}, {"iptables-save"}, {"nft", "list", "ruleset"},
	} {
		out, err := exec.CommandContext(t.Context(), words[0], words[1:]...).Output()
		require.NoError(t, err, words)
		for line := range strings.Lines(string(out)) {
			if !strings.HasPrefix(line, "#") { // iptables-save prints the time
				b.WriteString(line)
			}
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	require.NoError(t, err)
	b.Write(mounts)
	return b.String()
}

// leftOf names what of a state folder is left: processes that name it, mounts,
// files.
func leftOf(t *testing.T, state string) string {
	t.Helper()
	var left strings.Builder
	procs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, p := range procs {
		if line, err := os.ReadFile(p); err == nil && bytes.Contains(line, []byte(state)) {
			left.WriteString("process " + strings.ReplaceAll(string(line), "\x00", " ") + "\n")
		}
		if mounts, err := os.ReadFile(filepath.Join(filepath.Dir(p), "mountinfo")); err == nil && bytes.Contains(mounts, []byte(state)) {
			left.WriteString("mounts of " + filepath.Dir(p) + "\n")
		}
	}
	require.NoError(t, filepath.WalkDir(state, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == filepath.Join(state, "runs") {
			return filepath.SkipDir // what labs showed is kept when their pair is gone
		}
		if !d.IsDir() {
			left.WriteString("file " + path + "\n")
		}
		return nil
	}))
	return left.String()
}
