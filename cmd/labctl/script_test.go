package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"labctl/internal/journal"
	"labctl/internal/report"
	"labctl/provision/private"
)

// TestMain lets scripts run the test binary as labctl.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"labctl": main})
}

// TestScripts runs the command line as a user sees it, without any machine.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   "testdata/script",
		Setup: isolate,
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "hosts": hosts, "slip": slip},
	})
}

// isolate gives a script folders of its own.
func isolate(e *testscript.Env) error {
	e.Setenv("LABCTL_STATE", e.WorkDir+"/state")
	e.Setenv("LABCTL_CACHE", e.WorkDir+"/cache")
	e.Setenv("LIBVIRT_DEFAULT_URI", "")
	return nil
}

// TestReal runs real guests under the private hypervisor. It needs root and the
// packages of `make deps`; the small image is built if the cache lacks it.
func TestReal(t *testing.T) {
	if testing.Short() {
		t.Skip("boots real guests: run without -short, as root, as `make test` does")
	}
	cache := smallImage(t)
	testscript.RunT(inTurn{t}, testscript.Params{
		Dir: "testdata/real",
		Setup: func(e *testscript.Env) error {
			if err := isolate(e); err != nil {
				return err
			}
			e.Setenv("LABCTL_CACHE", cache)
			e.Setenv("PATH", os.Getenv("PATH"))
			// A script that fails half-way leaves a pair behind.
			e.Defer(func() { stopAll(t, e.WorkDir+"/state") })
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "noleft": noLeft(t), "waitfor": waitFor, "killhypervisor": killHypervisor, "waitjournal": waitJournal, "unready": unready, "offersmemory": offersMemory},
	})
}

// inTurn runs one script after another: guests of several scripts would only
// wait for each other's CPU.
type inTurn struct{ *testing.T }

func (t inTurn) Parallel() {}

func (t inTurn) Verbose() bool { return testing.Verbose() }

func (t inTurn) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(inTurn{t}) })
}

// smallImage makes sure that the small image is in the cache, and returns the
// cache: LABCTL_CACHE, or the user's own.
func smallImage(t *testing.T) string {
	t.Helper()
	a := &app{stdin: strings.NewReader(""), stdout: os.Stderr, stderr: os.Stderr, getenv: os.Getenv}
	if code := a.run(t.Context(), []string{"image", "build", "--recipe", "small"}); code != exitOK {
		t.Fatalf("labctl image build --recipe small: exit %d", code)
	}
	cache, err := a.cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

// noLeft fails the script if anything of its state folder is left.
func noLeft(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 0 {
			ts.Fatalf("usage: noleft")
		}
		if left := leftOf(t, ts.Getenv("LABCTL_STATE")); left != "" {
			ts.Fatalf("left:\n%s", left)
		}
	}
}

// waitFor waits until the pair's lock says that somebody is in a verb.
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitfor VERB")
	}
	doing := strings.TrimPrefix(args[0], "labctl ")
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for range 500 {
		locks, _ := filepath.Glob(ts.Getenv("LABCTL_STATE") + "/pairs/*/lock")
		for _, l := range locks {
			if content, err := os.ReadFile(l); err == nil && strings.Contains(string(content), doing) {
				return
			}
		}
		<-ticks.C
	}
	ts.Fatalf("nobody is in `labctl %s`", doing)
}

// waitJournal waits until the journal of a lab's latest run has a line like this.
func waitJournal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waitjournal LAB PATTERN")
	}
	line := regexp.MustCompile(args[1])
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for range 3000 {
		content, err := os.ReadFile(filepath.Join(ts.Getenv("LABCTL_STATE"), "runs", args[0], "latest", journal.JournalFile))
		if err == nil && line.Match(content) {
			return
		}
		<-ticks.C
	}
	ts.Fatalf("the journal of %s has no line like %s", args[0], args[1])
}

// unready leaves a pair's record as a reset that was killed does.
func unready(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unready PAIR")
	}
	file := filepath.Join(ts.Getenv("LABCTL_STATE"), "pairs", args[0], "pair.json")
	var rec map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &rec))
	rec["ready"] = time.Time{}
	content, err := json.Marshal(rec)
	ts.Check(err)
	ts.Check(os.WriteFile(file, content, 0o600))
}

// killHypervisor kills the private libvirtd of a pair; its guests go on.
func killHypervisor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: killhypervisor PAIR")
	}
	d, ok, err := private.Find(privateDir(filepath.Join(ts.Getenv("LABCTL_STATE"), "pairs", args[0])))
	ts.Check(err)
	if !ok {
		ts.Fatalf("it does not run")
	}
	ts.Check(syscall.Kill(d.PID, syscall.SIGKILL))
}

// stopAll ends the private hypervisors of all pairs below a state folder.
func stopAll(t *testing.T, state string) {
	pairs, _ := filepath.Glob(state + "/pairs/*") // a constant pattern is good
	for _, p := range pairs {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		if err := private.Stop(ctx, privateDir(p)); err != nil {
			t.Error(err)
		}
		cancel()
	}
}

// exits runs a command and fails the script if it ends with another code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("running %v: %v", args[1:], err)
		}
		code = exit.ExitCode()
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("%v exits with %d, not %s", args[1:], code, args[0])
	}
}

// slip demands that lint tells a lab's slip at a place in its file and exits
// with 1, and that run tells the same, exits with 2, has run nothing, and writes
// reports that say so.
func slip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: slip FILE LINE:COLUMN TEXT")
	}
	said := args[0] + ":" + args[1] + ": " + args[2]
	tells := func(code string, words ...string) {
		exits(ts, false, append([]string{code}, words...))
		if ts.ReadFile("stdout") != "" {
			ts.Fatalf("%v prints %q", words, ts.ReadFile("stdout"))
		}
		if !strings.Contains(ts.ReadFile("stderr"), said) {
			ts.Fatalf("%v does not say %q", words, said)
		}
	}
	tells("1", "labctl", "lint", "./"+args[0])
	reports := ts.MkAbs("reports/" + args[0])
	tells("2", "labctl", "run", "./"+args[0], "--report", reports)
	if runs, _ := filepath.Glob(ts.Getenv("LABCTL_STATE") + "/*"); len(runs) > 0 {
		ts.Fatalf("it has made %v", runs)
	}
	var result journal.Result
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(filepath.Join(reports, report.JSONFile))), &result))
	if result.Verdict != "error" || result.ExitCode != exitError || !strings.Contains(result.Error, said) {
		ts.Fatalf("the result is %s, %d: %s", result.Verdict, result.ExitCode, result.Error)
	}
	if junit := ts.ReadFile(filepath.Join(reports, report.JUnitFile)); !strings.Contains(junit, "<error") {
		ts.Fatalf("JUnit has no error:\n%s", junit)
	}
}

// hosts writes hosts.yaml: two hosts on a port where nobody listens, with the
// public key of a file as their host key.
func hosts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hosts KEY")
	}
	var b strings.Builder
	b.WriteString("apiVersion: labctl/v1\nkind: Topology\nname: bench\nhosts: true\nnodes:\n")
	for i, name := range []string{"a", "b"} {
		fmt.Fprintf(&b, "  - {name: %s, address: 127.0.0.%d, port: 1, user: nobody, keyFile: %s, hostKey: %q}\n",
			name, i+1, ts.MkAbs(strings.TrimSuffix(args[0], ".pub")), strings.TrimSpace(ts.ReadFile(args[0])))
	}
	ts.Check(os.WriteFile(ts.MkAbs("hosts.yaml"), []byte(b.String()), 0o600))
}
