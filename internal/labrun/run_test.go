package labrun

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/restore"
)

const (
	steps   = "steps:\n  - {id: one, title: t, on: a, run: \"set liberal\\nset pod\\nsay 007\", capture: {V: '^(\\d+)$'}}\n  - {id: two, title: t, on: a, run: \"say got $V\", checks: [{stdout: {equals: 'got ${V}'}}]}\n"
	tidy    = "teardown:\n  - {id: td, title: t, on: a, run: \"unset liberal\\nunset pod\"}\n"
	sloppy  = "teardown:\n  - {id: td, title: t, on: a, run: unset pod}\n"
	repair  = "repair:\n  - {id: rp, title: t, on: a, run: unset liberal}\n"
	useless = "repair:\n  - {id: rp, title: t, on: a, run: say nothing}\n"
)

func TestARunPutsTheClusterBack(t *testing.T) {
	for _, c := range []struct {
		name, body string
		by         journal.Stage
		resets     int
	}{
		{"the teardown is enough", steps + tidy, journal.AfterTeardown, 0},
		{"the repair is needed", steps + sloppy + repair, journal.AfterRepair, 0},
		{"only the checkpoint helps", steps + sloppy + useless, journal.AfterCheckpoint, 1},
		{"no repair, the checkpoint", steps + sloppy, journal.AfterCheckpoint, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			cl := newCluster()
			r := cl.runner(t)
			result, dir, err := r.Lab(t.Context(), source(t, c.body), Options{})
			require.NoError(t, err)
			assert.Equal(t, ExitPassed, result.ExitCode)
			assert.Equal(t, "pass", result.Verdict)
			assert.Equal(t, journal.Restored, result.Restore.Verdict)
			assert.Equal(t, c.by, result.Restore.By)
			assert.Equal(t, c.resets, cl.resets)
			assert.Empty(t, cl.words)
			owed, err := r.Owed()
			require.NoError(t, err)
			assert.Nil(t, owed)

			for _, name := range []string{journal.LabFile, journal.TopologyFile, journal.JournalFile, journal.BaselineFile} {
				assert.FileExists(t, filepath.Join(dir, name))
			}
			latest, err := os.Readlink(filepath.Join(r.Runs, "x", "latest"))
			require.NoError(t, err)
			assert.Equal(t, filepath.Base(dir), latest)
		})
	}
}

func TestWithoutACheckpointWhatIsLeftIsSaid(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	r.Place.Reset = nil
	result, _, err := r.Lab(t.Context(), source(t, steps+sloppy+useless), Options{})
	require.NoError(t, err)
	assert.Equal(t, ExitUnrestored, result.ExitCode)
	assert.Equal(t, journal.NotRestored, result.Restore.Verdict)
	assert.Equal(t, []journal.Difference{{Node: "a", Section: "words", Extra: []string{"liberal"}}}, result.Restore.Left[journal.AfterRepair])

	// The next run refuses, and names what is owed.
	_, _, err = r.Lab(t.Context(), source(t, steps+tidy), Options{})
	var owed *OwedError
	require.ErrorAs(t, err, &owed)
	assert.Contains(t, owed.Hint(), "labctl teardown x --name p")

	// Whether it could begin can be asked before that is paid.
	assert.NoError(t, r.Possible(source(t, steps+tidy).Lab, Options{}))
	var none *SelectionError
	assert.ErrorAs(t, r.Possible(source(t, steps+tidy).Lab, Options{From: "nothere"}), &none)
}

func TestVerdictsBecomeExitCodes(t *testing.T) {
	for name, c := range map[string]struct {
		step string
		code int
	}{
		"pass":  {"say x", ExitPassed},
		"fail":  {"exit 1", ExitFailed},
		"error": {"exit 127\", checks: [{exit: 0}, {stdout: {empty: true}}], x-dummy: \"", ExitError},
	} {
		if name == "error" {
			c.step = "exit 127"
		}
		t.Run(name, func(t *testing.T) {
			checks := ""
			if name == "error" {
				checks = ", checks: [{stdout: {empty: true}}]"
			}
			cl := newCluster()
			result, _, err := cl.runner(t).Lab(t.Context(), source(t, "steps:\n  - {id: one, title: t, on: a, run: "+c.step+checks+"}\n"+tidy), Options{})
			require.NoError(t, err)
			assert.Equal(t, c.code, result.ExitCode)
			assert.Equal(t, journal.Restored, result.Restore.Verdict)
		})
	}
}

type signalled struct{ syscall.Signal }

func (s signalled) Error() string            { return "interrupted" }
func (s signalled) SignalOf() syscall.Signal { return s.Signal }

func TestAnInterruptPutsTheClusterBack(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-cl.hanging
		cancel(signalled{syscall.SIGTERM})
	}()
	result, _, err := r.Lab(ctx, source(t, "steps:\n  - {id: one, title: t, on: a, run: \"set liberal\\nhang\", timeout: 1h}\n  - {id: two, title: t, on: a, run: say x}\n"+sloppy+repair), Options{})
	require.NoError(t, err)
	assert.Equal(t, 128+int(syscall.SIGTERM), result.ExitCode)
	assert.Equal(t, "terminated", result.Interrupted)
	assert.Equal(t, journal.Restored, result.Restore.Verdict)
	assert.Equal(t, "not run", result.Plans[0].Steps[1].Verdict)
	assert.Empty(t, cl.words)
}

func TestALostNodeGoesBackToTheCheckpoint(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	result, _, err := r.Lab(t.Context(), source(t, "steps:\n  - {id: one, title: t, on: a, run: \"set liberal\\ncut\"}\n"+tidy+repair), Options{})
	require.NoError(t, err)
	assert.Equal(t, ExitError, result.ExitCode, "it could not be judged, and it is restored")
	assert.Equal(t, journal.Restored, result.Restore.Verdict)
	assert.Equal(t, journal.AfterCheckpoint, result.Restore.By)
	assert.Equal(t, 1, cl.resets)
	assert.Contains(t, result.Plans[0].Steps[0].Error, `running step "one" on node "a"`)

	cl = newCluster()
	r = cl.runner(t)
	r.Place.Reset = nil
	result, _, err = r.Lab(t.Context(), source(t, "steps:\n  - {id: one, title: t, on: a, run: \"set liberal\\ncut\"}\n"+tidy+repair), Options{})
	require.NoError(t, err)
	assert.Equal(t, ExitUnrestored, result.ExitCode)
}

func TestKeepAndGoOn(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	s := source(t, steps+sloppy+repair)
	result, _, err := r.Lab(t.Context(), s, Options{Until: "one", Keep: KeepAlways})
	require.NoError(t, err)
	assert.Equal(t, ExitPassed, result.ExitCode)
	assert.Equal(t, journal.Kept, result.Restore.Verdict)
	assert.True(t, cl.words["liberal"])

	// Step two uses what step one captured in the run before, and in the one before
	// that. Such a run is judged without the others.
	for _, keep := range []Keep{KeepAlways, KeepNever} {
		var dir string
		result, dir, err = r.Lab(t.Context(), s, Options{From: "two", Keep: keep})
		require.NoError(t, err)
		assert.Equal(t, ExitPassed, result.ExitCode)
		folder, err := journal.OpenFolder(dir)
		require.NoError(t, err)
		judged, err := Judge(folder, s.Lab)
		require.NoError(t, err)
		assert.Equal(t, "pass", judged.Verdict)
	}
	assert.Equal(t, journal.Restored, result.Restore.Verdict, "compared with the baseline of the first run")
	assert.Empty(t, cl.words)

	// Without a run to go on with, its variable is missing.
	_, _, err = r.Lab(t.Context(), s, Options{From: "two"})
	var selection *SelectionError
	require.ErrorAs(t, err, &selection)
	assert.Contains(t, err.Error(), `step "two" uses V, which step "one" captures`)
}

func TestSelectionsThatMakeNoSense(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	for _, o := range []Options{{From: "on"}, {From: "two", Until: "one"}, {Only: []string{"three"}}, {Seed: 7}, {Vars: map[string]string{"X": "1"}}} {
		_, _, err := r.Lab(t.Context(), source(t, steps+tidy), o)
		var selection *SelectionError
		require.ErrorAs(t, err, &selection, "%+v", o)
		assert.NotEmpty(t, selection.Hint())
	}
	assert.Empty(t, cl.node.Calls())
	runs, err := os.ReadDir(r.Runs)
	require.NoError(t, err)
	assert.Empty(t, runs)
}

// Whatever event a run was killed after, another call pays what it owes, and
// the cluster is as it was. What a kill leaves is what is on the disk and on the
// cluster at that moment.
func TestPayAfterAKillAtEveryEvent(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	type moment struct {
		at    journal.Type
		owed  []byte
		run   string
		words map[string]bool
	}
	var moments []moment
	r.Listen = func(e journal.Event) {
		m := moment{at: e.Type, run: t.TempDir(), words: cl.copyWords()}
		var err error
		if m.owed, err = os.ReadFile(filepath.Join(r.Place.Dir, "owed.json")); err != nil {
			require.ErrorIs(t, err, fs.ErrNotExist)
		}
		runs, _ := filepath.Glob(r.Runs + "/x/2*")
		require.Len(t, runs, 1)
		require.NoError(t, os.CopyFS(m.run, os.DirFS(runs[0])))
		moments = append(moments, m)
	}
	_, _, err := r.Lab(t.Context(), source(t, steps+sloppy+repair), Options{})
	require.NoError(t, err)
	require.Greater(t, len(moments), 12)

	paid := 0
	for n, m := range moments {
		after := newCluster()
		after.words = m.words
		r := after.runner(t)
		if m.owed == nil {
			assert.Empty(t, m.words, "after event %d, %s: nothing is owed", n+1, m.at)
			continue
		}
		var owed restore.Owed
		require.NoError(t, json.Unmarshal(m.owed, &owed))
		owed.Run = m.run
		require.NoError(t, restore.WriteOwed(r.Place.Dir, owed))

		result, _, err := r.Pay(t.Context(), owed)
		require.NoError(t, err)
		assert.Equal(t, journal.Restored, result.Restore.Verdict, "after event %d, %s", n+1, m.at)
		assert.Empty(t, after.words)
		left, err := r.Owed()
		require.NoError(t, err)
		assert.Nil(t, left)
		paid++
	}
	assert.Greater(t, paid, 8)
}

func TestDamagedRecordsAreNotIgnored(t *testing.T) {
	cl := newCluster()
	r := cl.runner(t)
	require.NoError(t, os.WriteFile(filepath.Join(r.Place.Dir, "owed.json"), []byte(`{"lab":`), 0o600))
	_, _, err := r.Lab(t.Context(), source(t, steps+tidy), Options{})
	var damaged *restore.OwedDamagedError
	assert.ErrorAs(t, err, &damaged)
	assert.Empty(t, cl.node.Calls())
}
