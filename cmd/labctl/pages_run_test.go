package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/site"
)

// TestPages does what the pages say, as a reader would: it writes each file that
// they name, runs each command in its order, and compares what comes with what
// they show. A block of commands says in its info string what it is:
//
//	console         run here, or on the bench when it is there
//	console bench   the bench is started anew before the rest is run on it
//	console host    builds or installs something: it is not run
//	console pair    needs a pair: it is not run
//	console wrong   run; its commands are slips
func TestPages(t *testing.T) {
	for file, source := range pages(t) {
		blocks := site.Blocks(source)
		if !runs(blocks) {
			continue
		}
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			r := &reader{page: file, folder: t.TempDir()}
			r.prepare(t)
			for _, b := range blocks {
				if !r.does(t, b) {
					break
				}
			}
			r.leave(t)
		})
	}
}

// runs says whether there is something to do among the blocks.
func runs(blocks []site.Block) bool {
	for _, b := range blocks {
		if b.Language == "console" && !b.Has("host") && !b.Has("pair") || b.Has("file") {
			return true
		}
	}
	return false
}

// reader does what a page says, in a folder of its own.
type reader struct {
	page, folder string
	env          []string
	shell        *shell
}

// prepare makes labctl and the documents' own files what they are in a checkout.
func (r *reader) prepare(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	docs, err := filepath.Abs("../../docs")
	require.NoError(t, err)
	bin := filepath.Join(r.folder, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	// testscript.Main goes by the program's name.
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "labctl")))
	require.NoError(t, os.Symlink(docs, filepath.Join(r.folder, "docs")))
	require.NoError(t, os.Mkdir(filepath.Join(r.folder, "my-labs"), 0o755))
	r.env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "LC_ALL=C.UTF-8",
		"LABCTL_STATE="+filepath.Join(r.folder, "state"), "LABCTL_CACHE="+filepath.Join(r.folder, "cache"), "LIBVIRT_DEFAULT_URI=")
}

// does what one block says; false if the rest of the page makes no sense without it.
func (r *reader) does(t *testing.T, b site.Block) bool {
	t.Helper()
	for word, flags := range map[string]int{"file": os.O_TRUNC, "add": os.O_APPEND} {
		if name := b.Words[word]; name != "" {
			path := filepath.Join(r.folder, "my-labs", filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flags, 0o644)
			require.NoError(t, err)
			_, err = f.WriteString(map[string]string{"add": "\n"}[word] + b.Text)
			require.NoError(t, errors.Join(err, f.Close()))
		}
	}
	if b.Language != "console" || b.Has("host") || b.Has("pair") {
		return true
	}
	lines := promptedIn(b.Text)
	require.NotEmpty(t, lines, "%s:%d: a block of commands has none", r.page, b.Line)
	if b.Has("bench") {
		r.bench(t, lines[0], b.Line)
		lines = lines[1:]
	} else if r.shell == nil {
		r.shell = startShell(t, exec.CommandContext(t.Context(), "bash"), filepath.Join(r.folder, "my-labs"), r.env)
	}
	for _, l := range lines {
		came := r.shell.run(t, l.command)
		if !assert.Regexp(t, shown(l.output), came, "%s:%d: $ %s\nit printed:\n%s", r.page, b.Line, l.command, came) {
			return false
		}
	}
	return true
}

// bench starts the bench anew.
func (r *reader) bench(t *testing.T, l prompted, line int) {
	t.Helper()
	if testing.Short() {
		t.Skip("makes namespaces: run without -short, as root, as `make test` does")
	}
	require.Equal(t, `sudo env "PATH=$PATH" ../docs/bench.sh`, l.command, "%s:%d", r.page, line)
	r.leave(t)
	cmd := exec.CommandContext(t.Context(), "../docs/bench.sh")
	r.shell = startShell(t, cmd, filepath.Join(r.folder, "my-labs"), append(r.env, "SHELL=/bin/bash"))
	assert.Regexp(t, shown(l.output), r.shell.run(t, "true"), "%s:%d", r.page, line)
}

func (r *reader) leave(t *testing.T) {
	t.Helper()
	if r.shell != nil {
		r.shell.end(t)
		r.shell = nil
	}
}

// shell is a bash that takes one command after another. What one leaves in a
// variable, the next sees, $? too.
type shell struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startShell(t *testing.T, cmd *exec.Cmd, folder string, env []string) *shell {
	t.Helper()
	s := &shell{cmd: cmd}
	cmd.Dir, cmd.Env = folder, env
	var err error
	s.in, err = cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = cmd.Stdout
	s.out = bufio.NewReader(out)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // one that has ended was waited for
	return s
}

// endOfOutput is no part of what a command prints.
const endOfOutput = "\x1eend "

// run runs one command, and returns what it printed.
func (s *shell) run(t *testing.T, command string) string {
	t.Helper()
	// The pipe closes, and reading ends, when a command takes too long.
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = s.cmd.Process.Kill() })
	defer stop()
	_, err := fmt.Fprintf(s.in, "(exit ${code:-0})\n{ %s\n} </dev/null 2>&1\ncode=$?; printf '%s%%d\\n' $code\n", command, endOfOutput)
	require.NoError(t, err)
	var came strings.Builder
	for {
		line, err := s.out.ReadString('\n')
		before, code, over := strings.Cut(line, endOfOutput)
		came.WriteString(before)
		if over {
			_, err := strconv.Atoi(strings.TrimSpace(code))
			require.NoError(t, err)
			return came.String()
		}
		require.NoError(t, err, "$ %s\nit printed:\n%s", command, &came)
	}
}

func (s *shell) end(t *testing.T) {
	t.Helper()
	require.NoError(t, s.in.Close())
	_ = s.cmd.Wait() // its exit code is that of the last command
}
