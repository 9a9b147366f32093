package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const watched = `{"type":"run-started","time":"2026-01-02T03:04:05Z","run":{"id":"seen/1","lab":"seen"}}
{"type":"plan-started","time":"2026-01-02T03:04:05Z","phase":"steps","plan":"seen"}
{"type":"step-started","time":"2026-01-02T03:04:05Z","phase":"steps","plan":"seen","step":"one"}
{"type":"step-output","time":"2026-01-02T03:04:05Z","phase":"steps","plan":"seen","step":"one","node":"a","attempt":1,"script":"one","stdout":"1\n","verdict":"pass"}
{"type":"step-done","time":"2026-01-02T03:04:05Z","phase":"steps","plan":"seen","step":"one","verdict":"pass"}
{"type":"plan-done","time":"2026-01-02T03:04:05Z","phase":"steps","plan":"seen","verdict":"pass"}
{"type":"run-done","time":"2026-01-02T03:04:05Z","verdict":"pass","exitCode":0}
`

// TestWatch saves a lab's file as editors do, and reads what is said of it.
func TestWatch(t *testing.T) {
	state := t.TempDir()
	run := filepath.Join(state, "runs", "seen", "latest")
	require.NoError(t, os.MkdirAll(run, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(run, "journal.jsonl"), []byte(watched), 0o600))
	lab := func(script, equals string) string {
		return fmt.Sprintf("steps:\n  - {id: one, title: One, on: a, run: %s, checks: [{stdout: {equals: '%s'}}]}\n%s", script, equals, nothing)
	}
	file := labFile(t, "seen", lab("one", "1"))
	read, write := io.Pipe()
	a := &app{stdin: strings.NewReader(""), stdout: write, stderr: write, getenv: func(name string) string {
		return map[string]string{"LABCTL_STATE": state}[name]
	}}
	ctx, cancel := context.WithCancelCause(t.Context())
	code := make(chan int, 1)
	go func() {
		code <- a.run(ctx, []string{"watch", file})
		_ = write.Close()
	}()
	said := make(chan string, 100)
	go func() {
		for lines := bufio.NewScanner(read); lines.Scan(); {
			said <- lines.Text()
		}
		close(said)
	}()
	until := func(last string) string {
		t.Helper()
		var b strings.Builder
		for {
			select {
			case line := <-said:
				b.WriteString(line + "\n")
				if strings.Contains(line, last) {
					return b.String()
				}
			case <-time.After(20 * time.Second):
				require.Fail(t, "it does not say "+last, b.String())
			}
		}
	}
	save := func(script, equals string) {
		t.Helper()
		other := labFile(t, "seen", lab(script, equals))
		require.NoError(t, os.Rename(other, file))
	}

	out := until("judged run seen/1 in ")
	assert.Contains(t, out, "2 steps: pass 1, never run 1\n  never run: nothing\n")
	save("one", "2")
	out = until("judged run")
	assert.Contains(t, out, "  fail, was pass: one\n")
	assert.Contains(t, out, `fail: one on a: stdout equals "2"; came: 1 (`+file+":8:")
	save("one", "2', size: '1")
	assert.Contains(t, until("unknown key"), file+`:8:`)
	save("two", "2")
	assert.Contains(t, until("judged run"), "  not run since, was fail: one\n")
	save("one", "1")
	assert.Contains(t, until("judged run"), "  pass, was not run since: one\n")

	cancel(interruptedBy{syscall.SIGINT})
	assert.Equal(t, exitOK, <-code, "Ctrl-C is the way to end it")
}

func TestWatchIsEnded(t *testing.T) {
	file := labFile(t, "seen", "steps: []\n")
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return t.TempDir() }}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interruptedBy{syscall.SIGTERM})
	assert.Equal(t, 143, a.run(ctx, []string{"watch", file}))
	assert.Equal(t, exitError, a.run(t.Context(), []string{"watch", file, "none"}))
	assert.Equal(t, exitError, a.run(t.Context(), []string{"watch", "conntrack-reset"}))
	assert.Equal(t, exitUsage, a.run(t.Context(), []string{"watch"}))
}
