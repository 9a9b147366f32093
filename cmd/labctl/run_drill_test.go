package main

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/labrun"
	"labctl/internal/report"
)

// drills is a lab with two faults: a file that stands in the way on b, and
// forwarding that is on where it should be off.
const drills = `
steps:
  - {id: ready, title: Make the service, on: all, run: touch /tmp/service}
  - {id: block, title: SECRET block, on: b, run: "touch /tmp/blocked # SECRET script"}
  - {id: blocked, title: SECRET symptom, on: all, run: ls /tmp, checks: [{stdout: {contains: blocked}}]}
  - {id: forward, title: SECRET forward, on: b, root: true, run: sysctl -w net.ipv4.ip_forward=1}
  - id: answers
    title: The service answers
    on: all
    run: ls /tmp; cat /proc/sys/net/ipv4/ip_forward
    checks: [{stdout: {equals: "service\n0"}}]
    hint: SECRET hint
teardown:
  - {id: files, title: Remove the service, on: all, run: rm /tmp/service}
repair:
  - {id: rest, title: Undo the rest, on: all, root: true, run: "rm -f /tmp/blocked /tmp/mine; sysctl -w net.ipv4.ip_forward=0"}
drills:
  - {id: file, title: The service does not answer, cause: Something stands in the way, needs: ready, break: block, symptom: blocked, fixed: answers, hints: [Look into a folder.]}
  - {id: sysctl, title: The service answers oddly, cause: Packets are forwarded, needs: ready, break: forward, fixed: answers}
`

// talk is a labctl that does a drill, and somebody who answers it.
type talk struct {
	*session
	ground *ground
	to     io.WriteCloser
}

func (g *ground) drill(t *testing.T, args ...string) *talk {
	t.Helper()
	cmd := g.here(t, append([]string{"run", labFile(t, "drills", drills)}, args...)...)
	to, err := cmd.StdinPipe()
	require.NoError(t, err)
	d := &talk{begin(t, cmd), g, to}
	d.until(t, journal.DrillBegan, 1)
	return d
}

// until waits until something has happened so many times.
func (d *talk) until(t *testing.T, typ journal.Type, times int) {
	t.Helper()
	d.when(t, func() bool {
		all, _ := journal.Read(d.ground.latest("drills"))
		n := 0
		for _, e := range all {
			if e.Type == typ && (e.Plan == "" || e.Phase == journal.Drill) {
				n++
			}
		}
		return n >= times
	})
}

func (d *talk) types(t *testing.T, text string) {
	t.Helper()
	_, err := io.WriteString(d.to, text)
	require.NoError(t, err)
}

func TestLettersForEachCause(t *testing.T) {
	assert.Len(t, letters, lab.MaxCauses)
	assert.NotContains(t, letters, "h")
	assert.NotContains(t, letters, "q")
}

func TestWhatALearnerTypes(t *testing.T) {
	at := labrun.Standing{Choices: []string{"one", "two"}, Hints: 1}
	known, mended, told := at, at, at
	known.Diagnosed, mended.Mended, told.Hints = true, true, 0
	const all = "Type a letter, a to b: your diagnosis. Enter: check my fix. h: a hint. q: give up and show me."
	for _, c := range []struct {
		line string
		at   labrun.Standing
		move labrun.Move
		says string
	}{
		{"", at, labrun.Move{}, ""},
		{"a", at, labrun.Move{Cause: "one"}, ""},
		{"B", at, labrun.Move{Cause: "two"}, ""},
		{"h", at, labrun.Move{Hint: true}, ""},
		{"Q", at, labrun.Move{GiveUp: true}, ""},
		{"c", at, labrun.Move{}, `"c" means nothing here. ` + all},
		{"ab", at, labrun.Move{}, `"ab" means nothing here. ` + all},
		{"\x1b[A", at, labrun.Move{}, `"\x1b[A" means nothing here. ` + all},
		{"é", at, labrun.Move{}, `"é" means nothing here. ` + all},
		{"a", known, labrun.Move{}, "You know the cause already: mend it, and press Enter."},
		{"", mended, labrun.Move{}, "It is mended already: what was the cause?"},
		{"h", told, labrun.Move{}, "There are no more hints."},
	} {
		move, says := understood(c.line, c.at)
		assert.Equal(t, c.move, move, "%q", c.line)
		assert.Equal(t, c.says, says, "%q", c.line)
	}
}

func TestDrillSolved(t *testing.T) {
	g := hostsGround(t)
	d := g.drill(t, "--drill", "1", "-v")
	d.types(t, "a\nx\n\n")
	d.until(t, journal.PlanDone, 1)
	g.look(t, "b", "mv /tmp/blocked /tmp/mine")
	d.types(t, "h\nh\n\n")
	d.until(t, journal.PlanDone, 2)
	g.look(t, "b", "rm /tmp/mine; touch /tmp/service")
	d.types(t, "b\na\n\n")
	require.Equal(t, exitOK, d.wait(t), "%s", &d.said)
	g.untouched(t)

	said := d.said.String()
	before, after, found := strings.Cut(said, "\nteardown\n")
	require.True(t, found)
	assert.NotContains(t, before, "SECRET")
	for _, want := range []string{
		"Make the service", "\nbreaking the pair\nthe fault is there: seen\n", "\ndrill 1 of 2: The service does not answer\n",
		"Look at it in another terminal:\n  ssh -p 22 root@127.0.0.1\n  ssh -p 22 root@127.0.0.2\n", "  a) Packets are forwarded\n  b) Something stands in the way\nType a letter, a to b:",
		"No, it is not this: Packets are forwarded. Look again.", `"x" means nothing here. Type a letter`,
		"Not yet: The service answers\n  on a: wanted: stdout equals \"service\\n0\"; came:\n    + blocked\n", "  Hint: Look into a folder.\n", "There are no more hints.",
		"Right: Something stands in the way. Now mend it, and press Enter.\n", "You know the cause already", "Fixed.\n", "Solved in ",
	} {
		assert.Contains(t, before, want)
	}
	for _, line := range strings.Split(before, "\n") {
		assert.LessOrEqual(t, len(line), 80, line)
	}
	assert.Contains(t, after, "\ndrill 1 of 2: The service does not answer\n  drill: solved\n")

	r := g.result(t, "drills")
	assert.Equal(t, "pass", r.Verdict)
	require.NotNil(t, r.Drill)
	assert.Len(t, r.Drill.Answers, 2)
	assert.Len(t, r.Drill.Tries, 3)
	assert.Equal(t, journal.AfterTeardown, r.Restore.By)
	out := exitsWith(t, g.command(t, "judge", "drills"), exitOK)
	assert.Contains(t, out, "  drill: solved\n")
	exitsWith(t, g.command(t, "report", "drills"), exitOK)
	assert.FileExists(t, filepath.Join(filepath.Dir(g.latest("drills")), report.HTMLFile))
}

func TestDrillGivenUp(t *testing.T) {
	g := hostsGround(t)
	for name, typed := range map[string]string{"on purpose": "b\nq\n", "by the end of input": "b\n", "without a last newline": "b\n\nq"} {
		t.Run(name, func(t *testing.T) {
			d := g.drill(t, "--drill", "sysctl")
			d.types(t, typed)
			require.NoError(t, d.to.Close())
			require.Equal(t, exitFailed, d.wait(t), "%s", &d.said)
			g.untouched(t)
			assert.Contains(t, d.said.String(), "The cause: Packets are forwarded\nWhat broke the pair:\n    $ sysctl -w net.ipv4.ip_forward=1\n")
			r := g.result(t, "drills")
			assert.Equal(t, journal.DrillGaveUp, r.Drill.Verdict)
			assert.Equal(t, journal.AfterRepair, r.Restore.By)
			exitsWith(t, g.command(t, "judge", "drills"), exitFailed)
		})
	}
}

func TestDrillInterrupted(t *testing.T) {
	g := hostsGround(t)
	d := g.drill(t, "--drill", "file")
	d.types(t, "a\n")
	d.until(t, journal.DrillAnswered, 1)
	d.send(t, syscall.SIGINT)
	require.Equal(t, 130, d.wait(t), "%s", &d.said)
	g.untouched(t)
	assert.NotContains(t, d.said.String(), "SECRET")
	assert.NotContains(t, d.said.String(), "The cause:")
	r := g.result(t, "drills")
	assert.Equal(t, journal.DrillCut, r.Drill.Verdict)
	assert.Equal(t, "interrupt", r.Interrupted)
}

func TestDrillNotSetUp(t *testing.T) {
	g := hostsGround(t)
	file := labFile(t, "unset", strings.Replace(drills, `"touch /tmp/blocked # SECRET script"`, `"true"`, 1))
	out := exitsWith(t, withInput(g.here(t, "run", file, "--drill", "1"), "b\n\n"), exitError)
	assert.Contains(t, out, `setting up drill 1 of lab "unset": step "blocked" did not pass`)
	assert.Contains(t, out, "SECRET symptom", "there is nothing to find, and somebody must look")
	assert.NotContains(t, out, "What is the cause?")
	g.untouched(t)
}

func withInput(cmd *exec.Cmd, text string) *exec.Cmd {
	cmd.Stdin = strings.NewReader(text)
	return cmd
}

func TestDrillBesideOthers(t *testing.T) {
	for _, c := range []runOptions{
		{all: true}, {Options: labrun.Options{From: "x"}}, {Options: labrun.Options{Until: "x"}}, {Options: labrun.Options{Only: []string{"x"}}},
		{Options: labrun.Options{Seed: 1}}, {keep: "always"}, {keep: "on-failure"}, {sabotage: true},
	} {
		c.Drill = "1"
		if c.keep == "" {
			c.keep = "never"
		}
		err := c.settleDrill([]string{"one"})
		var usage usageError
		require.ErrorAs(t, err, &usage, fmt.Sprintf("%+v", c))
		assert.NotEmpty(t, usage.Hint())
	}
	one := runOptions{keep: "never", Options: labrun.Options{Drill: "1"}}
	assert.NoError(t, one.settleDrill([]string{"one"}))
	assert.ErrorContains(t, one.settleDrill([]string{"one", "two"}), "of 2 labs")
}
