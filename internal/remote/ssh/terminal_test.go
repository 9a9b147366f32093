package ssh_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"labctl/internal/remote"
)

// terminal is a pair of ends: what a person types and sees, and what a program
// has.
func terminal(t *testing.T, columns, rows uint16) (person, program *os.File) {
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { person.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(person.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows}))
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { program.Close() })
	return person, program
}

func TestShell(t *testing.T) {
	s := startServer(t)
	c := dial(t, s.as("tester"))
	person, program := terminal(t, 77, 33)
	before, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
	require.NoError(t, err)
	var seen log
	type result struct {
		exit int
		err  error
	}
	done := make(chan result, 1)
	go func() {
		exit, err := c.Shell(context.WithoutCancel(t.Context()), "", program, &seen)
		done <- result{exit, err}
	}()
	see := func(want string) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Contains(seen.String(), want) }, 20*time.Second, 10*time.Millisecond, "%q", seen.String())
	}
	// The shell's echo of what is typed must not be taken for its answer.
	fmt.Fprintf(person, "stty size; tty | tr p P; whoami | tr t T\n")
	see("33 77\r\n/dev/Pts/")
	see("TesTer\r\n")
	during, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
	require.NoError(t, err)
	assert.Zero(t, during.Lflag&unix.ICANON, "raw mode")
	require.NoError(t, unix.IoctlSetWinsize(int(person.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 99, Row: 44}))
	require.NoError(t, unix.Kill(os.Getpid(), unix.SIGWINCH)) // it is not our controlling terminal
	fmt.Fprintf(person, "until stty size | grep '44 [9]9'; do sleep 0.1; done\n")
	see("44 99\r\n")
	fmt.Fprintf(person, "exit 7\n")
	r := <-done
	require.NoError(t, r.err)
	assert.Equal(t, 7, r.exit)
	after, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
	require.NoError(t, err)
	assert.Equal(t, before, after, "the terminal is as it was")

	// What is typed now is for whoever reads next.
	fmt.Fprintf(person, "next\n")
	waiting := func() int {
		n, err := unix.IoctlGetInt(int(program.Fd()), unix.TIOCINQ)
		require.NoError(t, err)
		return n
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); waiting() != len("next\n") && time.Now().Before(deadline); {
		<-tick.C
	}
	// A loop, not assert.Never: that leaves its last question running, on a
	// terminal that the test's end closes.
	for range 20 {
		require.Equal(t, len("next\n"), waiting(), "nobody swallowed it")
		<-tick.C
	}
}

func TestInteractiveShellOfAStep(t *testing.T) {
	s := startServer(t)
	for name, c := range map[string]struct {
		login, is string
		root      bool
	}{
		"root": {"root", "root", true}, "user": {"tester", "tester", false}, "user with sudo": {"tester", "root", true},
	} {
		t.Run(name, func(t *testing.T) {
			conn, other := dial(t, s.as(c.login)), dial(t, s.target)
			person, program := terminal(t, 77, 33)
			t.Setenv("TERM", "vt100")
			var seen log
			done := make(chan int, 1)
			command := conn.Interactive(remote.Command{Root: c.root, Env: map[string]string{"ODD": "it's $HOME é\n2"}})
			go func() {
				exit, err := conn.Shell(context.WithoutCancel(t.Context()), command, program, &seen)
				assert.NoError(t, err)
				done <- exit
			}()
			fmt.Fprintf(person, "%s\n", `echo "<$(whoami)|$ODD|$TERM|$COLUMNS|$TZ|$LC_ALL|$HISTFILE|$PATH>"`)
			see := func(want string) {
				t.Helper()
				require.Eventually(t, func() bool { return strings.Contains(seen.String(), want) }, 20*time.Second, 10*time.Millisecond, "%q", seen.String())
			}
			see("<" + c.is + "|it's $HOME é\r\n2|vt100|77|UTC|C.UTF-8||/usr/local/sbin:")
			// Ctrl-C is the node's.
			fmt.Fprintf(person, "sleep 600; echo over$?\n")
			require.Eventually(t, func() bool {
				return run(t, other, remote.Command{Script: "pgrep -x sleep"}).Exit == 0
			}, 20*time.Second, 10*time.Millisecond)
			args := run(t, other, remote.Command{Script: "pgrep -a 'sudo|bash'"})
			assert.NotContains(t, string(args.Stdout), "it's", "no value stands in an argument")
			_, err := person.Write([]byte{3})
			require.NoError(t, err)
			fmt.Fprintf(person, "exit 5\n")
			assert.Equal(t, 5, <-done)
		})
	}
}

func TestShellNeedsTerminal(t *testing.T) {
	s := startServer(t)
	f, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer f.Close()
	_, err = dial(t, s.target).Shell(t.Context(), "", f, &log{})
	assert.ErrorContains(t, err, "terminal's size")
}

func TestPipe(t *testing.T) {
	s := startServer(t)
	c := dial(t, s.as("tester"))
	pipe := func(ctx context.Context, command, stdin string) (int, string, string, error) {
		var stdout, stderr bytes.Buffer
		exit, err := c.Pipe(ctx, command, strings.NewReader(stdin), &stdout, &stderr)
		return exit, stdout.String(), stderr.String(), err
	}
	exit, stdout, stderr, err := pipe(t.Context(), `tr a-z A-Z; echo "it's" >&2; exit 9`, "abc\x00\n")
	require.NoError(t, err)
	assert.Equal(t, 9, exit)
	assert.Equal(t, "ABC\x00\n", stdout)
	assert.Equal(t, "it's\n", stderr)

	exit, _, _, err = pipe(t.Context(), `kill -TERM $$`, "")
	require.NoError(t, err)
	assert.Equal(t, 143, exit)

	exit, stdout, _, err = pipe(t.Context(), `head -c 20000000 /dev/zero`, "")
	require.NoError(t, err)
	assert.Zero(t, exit)
	assert.Len(t, stdout, 20_000_000)

	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, _, _, err = pipe(ctx, `while :; do setsid sleep 4567 & sleep 4567; done`, "")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, 1, run(t, c, remote.Command{Script: "pgrep -f 'sleep 456[7]'"}).Exit)

	_, _, _, err = pipe(t.Context(), `kill -KILL $PPID; sleep 60`, "")
	require.ErrorIs(t, err, remote.ErrLost)
}
