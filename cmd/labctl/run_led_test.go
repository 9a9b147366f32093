package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"labctl/internal/journal"
	"labctl/internal/labrun"
	"labctl/internal/plan"
	"labctl/internal/report"
	"labctl/internal/runner"
)

// shownLab is a lab whose third step does not pass before somebody mends it.
const shownLab = `
steps:
  - {id: watch, title: Watch, on: a, run: 'echo watching; exec sleep 777', background: {ready: watching}}
  - id: make
    title: Make a file
    on: all
    explain: This is told before it runs.
    run: echo made; seq 1 20; touch /tmp/made
    capture: {LAST: '(?m)^(20)$'}
  - id: find
    title: Find another
    on: b
    root: true
    run: cat /tmp/wanted
    checks: [{stdout: {equals: 'here ${LAST}'}}]
    claims: [{id: C1, where: section 1, text: It is there., says: [{exit: 0}]}]
  - table: cells
    title: The cells
    rows: [{CELL: one, VALUE: '1'}, {CELL: two, VALUE: '2'}]
    steps:
      - {id: 'ask-${CELL}', title: 'Ask ${CELL}', on: a, run: 'echo "$VALUE"', checks: [{stdout: {equals: '${VALUE}'}}]}
  - {id: watched, title: What was watched, stop: watch, checks: [{stdout: {equals: watching}}]}
teardown:
  - {id: files, title: Remove the files, on: all, run: rm -f /tmp/made /tmp/wanted}
`

func TestRunLedByAScript(t *testing.T) {
	g := hostsGround(t)
	file := labFile(t, "shown", shownLab)
	led := func(t *testing.T, code int, lines string, args ...string) (string, journal.Result) {
		t.Helper()
		cmd := withInput(g.here(t, append([]string{"run", file, "--step"}, args...)...), lines)
		cmd.Env = append(cmd.Env, "NO_COLOR=1", "TERM=dumb")
		out := exitsWith(t, cmd, code)
		_, talk, _ := strings.Cut(out, "\nsteps\n")
		talk, _, _ = strings.Cut(talk, "\nteardown\n")
		talk, _, _ = strings.Cut(talk, "\nlab shown: ")
		talk, _, _ = strings.Cut(talk, "\nreports and journal: ")
		for line := range strings.Lines(talk) {
			assert.LessOrEqual(t, len(line), 81, line)
		}
		assert.NotContains(t, out, "\x1b")
		r := g.result(t, "shown")
		assert.True(t, r.Run.Led)
		return out, r
	}
	t.Run("mended and run again", func(t *testing.T) {
		out, r := led(t, exitOK, "\n\n\n\ne\ns\nls /tmp\necho here $LAST >/tmp/wanted; whoami; cd /\n pwd; exit 3\nexit\nr\ns a\nexit\ng ask-tow\ng 5\n?\n\n\nq\n")
		g.untouched(t)
		for _, want := range []string{
			"\nstep 1 of 6: watch: Watch\n  (on a, in the background)\n  $ echo watching; exec sleep 777\n  watched needs it: skip both or none\n  goes on in the background while later steps run\n[Enter run, s shell,",
			"\nstep 2 of 6: make: Make a file\n  (on all)\n  This is told before it runs.\n  $ echo made;", "\n  runs on each of a, b, at once\n  still runs in the background: watch\n",
			"  on a: exit 0 after ", "  on b: exit 0 after ", "    | 7\n    | … 13 more\n  on b",
			"    ! cat: /tmp/wanted: No such file or directory\n    exit 1 after", "\nfind did not pass. It can be run again when it is mended.\n",
			"\n[r again, s shell, e expected, a accept, q end, k keep, ?]\n> \nIt did not pass: r runs it again,",
			"> e\nexpected of find:\n  must hold: stdout equals \"here ${LAST}\"\n  C1 (section 1)\n    It is there.\n    holds if: exit code 0\n",
			"> s\na shell on b as root, which sees LAST\n    $ ls /tmp\n    $ echo here $LAST >/tmp/wanted; whoami; cd /\n    $  pwd; exit 3\nmade\nroot\n/\nback from b (exit 3)\n",
			"    C1 holds: It is there.\n", "\n  row 1 of 2 of table cells: CELL=one, VALUE=1\n", "> s a\na shell on a as root, which sees CELL, LAST, VALUE\nback from a (exit 0)\n",
			"> g ask-tow\nthere is no step \"ask-tow\": did you mean \"ask-two\"?\n", "> g 5\nThe cells\n  pass     Ask one (", "\nstep 5 of 6: ask-two",
			"\nAll steps are through.\n[Enter end, s shell, e expected, q put back, k keep, ?]\n> q\n",
		} {
			assert.Contains(t, out, want)
		}
		assert.Equal(t, "pass", r.Verdict)
		assert.Equal(t, plan.Holds, r.Claims[0].Verdict)
		assert.Equal(t, 2, r.Plans[0].Steps[2].Runs)
		out = exitsWith(t, g.command(t, "judge", "shown"), exitOK)
		assert.Contains(t, strings.Join(strings.Fields(out), " "), "instructor: shell on b at find for ")
		assert.Contains(t, out, "ran find again, shell on a at ask-one for")
		exitsWith(t, g.command(t, "report", "shown"), exitOK)
		page, err := os.ReadFile(filepath.Join(filepath.Dir(g.latest("shown")), report.HTMLFile))
		require.NoError(t, err)
		assert.Contains(t, string(page), "<dt>instructor</dt>")
	})
	t.Run("skipped, accepted, and an order at a wrong time", func(t *testing.T) {
		out, r := led(t, exitError, "a\nr\nskip\ng nowhere\ng find\nx\ng watch\nfoo\nq now\ns c\ng\ng\naccept\n\n\n\n")
		g.untouched(t)
		for _, want := range []string{
			"There is nothing to accept: no step failed.", "There is no step to run again", "there is no step \"nowhere\": ",
			"step \"watch\" is not ahead", "\"foo\" means nothing here; ? lists what does.", "q stands alone;", "There is no node \"c\": they are a, b.",
			"There is nothing to run on to now.", "  skipped  Watch (skipped by hand)\n",
		} {
			assert.Contains(t, out, want)
		}
		assert.Contains(t, out, "ERROR    What was watched", "what it should end was skipped")
		assert.Equal(t, []string{"skipped", "pass", "skipped", "pass", "pass", "error"}, verdictsOf(r))
	})
	t.Run("accepted", func(t *testing.T) {
		out, r := led(t, exitFailed, "g\na\ng\nq\n")
		g.untouched(t)
		assert.Contains(t, out, "accepted by the instructor; on b:")
		assert.Equal(t, []string{"pass", "pass", "fail", "pass", "pass", "pass"}, verdictsOf(r))
		exitsWith(t, g.command(t, "judge", "shown"), exitFailed)
	})
	t.Run("the end of input", func(t *testing.T) {
		out, r := led(t, exitError, "\n\n")
		g.untouched(t)
		assert.Contains(t, out, "> (end of input)\n")
		assert.Contains(t, out, "error: leading lab \"shown\": the input ended before step \"find\"\nhint: end the input with g,")
		assert.Equal(t, []string{"pass", "pass", "not run", "not run", "not run", "not run"}, verdictsOf(r))
		exitsWith(t, g.command(t, "judge", "shown"), exitOK) // what came passes
		led(t, exitError, "")
		g.untouched(t)
		led(t, exitFailed, "g\n") // a step failed, and there every run ends
		g.untouched(t)
		led(t, exitError, "s\ntouch /tmp/made")
		g.untouched(t)
	})
	t.Run("ended, and the results as JSON", func(t *testing.T) {
		cmd := withInput(g.here(t, "run", file, "--step", "-o", "json"), "\nq\n")
		out, err := cmd.Output()
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(out), "["), "%s", out)
		assert.Contains(t, string(out), `"act": "ended"`)
		g.untouched(t)
	})
	t.Run("kept, and gone on with", func(t *testing.T) {
		led(t, exitOK, "\n\nk\n")
		require.NotNil(t, g.owed(t))
		assert.Contains(t, g.look(t, "a", "ls /tmp"), "made")
		_, r := led(t, exitFailed, "\na\nq\n", "--only", "find")
		assert.Equal(t, "20", r.Run.Captured["LAST"])
		g.untouched(t)
	})
}

func verdictsOf(r journal.Result) []string {
	var all []string
	for _, s := range r.Plans[0].Steps {
		all = append(all, s.Verdict)
	}
	return all
}

// screen is a terminal that a labctl has, and what was seen on it.
type screen struct {
	*session
	keys *os.File
	read int // up to where see has looked
}

// onScreen starts a labctl on a terminal of its own.
func (g *ground) onScreen(t *testing.T, args ...string) *screen {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { keys.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(keys.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 80, Row: 24}))
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	defer tty.Close()
	cmd := g.here(t, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	s := &screen{session: begin(t, cmd), keys: keys}
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := keys.Read(b)
			_, _ = s.said.Write(b[:n]) // it takes everything
			if err != nil {
				return // nobody has the terminal any more
			}
		}
	}()
	return s
}

// see waits for a text that comes after what was seen before.
func (s *screen) see(t *testing.T, want string) {
	t.Helper()
	require.Eventually(t, func() bool {
		all := s.said.String()
		i := strings.Index(all[s.read:], want)
		if i >= 0 {
			s.read += i + len(want)
		}
		return i >= 0
	}, time.Minute, 5*time.Millisecond, "%q in\n%s", want, &s.said)
}

func (s *screen) types(t *testing.T, text string) {
	t.Helper()
	_, err := s.keys.WriteString(text)
	require.NoError(t, err)
}

func TestRunLedOnATerminal(t *testing.T) {
	g := hostsGround(t)
	file := labFile(t, "shown", strings.Replace(shownLab, "echo made;", "echo made; sleep 1;", 1))
	s := g.onScreen(t, "run", file, "--step")
	s.see(t, "?]\r\n> ")
	s.types(t, "\n")
	s.see(t, "step 2 of 6")
	s.see(t, "?]\r\n> ")
	s.types(t, "\n\n\n") // two too many, while the step runs
	s.see(t, "step 3 of 6")
	s.see(t, "?]\r\n> ")
	s.types(t, "?\n")
	s.see(t, "this list\r\n> ")
	for _, e := range readJournal(t, g.latest("shown")) {
		require.NotEqual(t, "find", e.Step, "nobody has read it yet")
	}
	s.types(t, "\n")
	s.see(t, "find did not pass")
	s.see(t, "?]\r\n> ")
	s.types(t, "s\n")
	s.see(t, "exit or Ctrl-D comes back\r\n")
	s.types(t, "echo size $(stty size) as $(whoami); sleep 777\n")
	s.see(t, "size 24 80 as root\r\n")
	s.when(t, func() bool { return strings.Count(g.look(t, "b", remains), "sleep 777") == 2 }) // the watch has one
	s.types(t, "\x03")                                                                         // the node's, not labctl's
	s.types(t, "echo here $LAST >/tmp/wanted; exit 4\n")
	s.see(t, "back from b (exit 4)")
	s.see(t, "?]\r\n> ")
	s.types(t, "\x04")
	s.see(t, "Once more ends the run and puts the cluster back.\r\n> ")
	s.types(t, "r\n")
	s.see(t, "C1 holds")
	s.see(t, "?]\r\n> ")
	s.types(t, "\x03")
	require.Equal(t, 130, s.wait(t), "%s", &s.said)
	s.see(t, "ending; once more to leave at once")
	g.untouched(t)
	r := g.result(t, "shown")
	assert.Equal(t, "interrupt", r.Interrupted)
	assert.Equal(t, journal.AfterTeardown, r.Restore.By)
	assert.Equal(t, []string{"pass", "pass", "pass", "not run", "not run", "not run"}, verdictsOf(r))
}

func readJournal(t *testing.T, path string) []journal.Event {
	t.Helper()
	all, err := journal.Read(path)
	require.NoError(t, err)
	return all
}

func TestVerbs(t *testing.T) {
	step := &plan.Step{ID: "x"}
	stop := &plan.Step{ID: "y", Stop: "x"}
	letters := func(at runner.Turn) string {
		var all []string
		for _, v := range verbs() {
			if v.makesSense(labrun.Turn{Turn: at, About: step}) {
				all = append(all, v.letter)
			} else {
				assert.NotEmpty(t, v.no, v.letter)
			}
		}
		return strings.Join(all, " ")
	}
	assert.Equal(t, " s e x g q k ?", letters(runner.Turn{Next: step}))
	assert.Equal(t, " r s e x g q k ?", letters(runner.Turn{Next: step, Last: step}))
	assert.Equal(t, " s e x g q k ?", letters(runner.Turn{Next: step, Last: stop}), "what it has ended runs no more")
	assert.Equal(t, "r s e a q k ?", letters(runner.Turn{Next: step, Last: step, Failed: true}))
	assert.Equal(t, " r s e q k ?", letters(runner.Turn{Last: step}))
	seen := map[string]bool{}
	for _, v := range verbs() {
		assert.False(t, seen[v.letter] || v.word != "" && seen[v.word], v.letter)
		seen[v.letter], seen[v.word] = true, true
		assert.LessOrEqual(t, len(v.help), 69, "one line in the list")
	}
}
