package remotetest

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"labctl/internal/remote"
)

// The scripts that more than one test runs.
const (
	silent   = `exit 0`
	streams  = "echo out\necho err >&2"
	endless  = `echo begun; sleep 600`
	endless5 = `echo begun; sleep 5`
	makeDir  = `mkdir -m 700 "$dir"`
	dropDir  = `rm -rf -- "$dir"`
)

// A flood is 50 MiB of numbered lines of 8 bytes.
const (
	flood     = `seq -f %7.0f 6553600; exit 3`
	floodLine = 8
	floodSize = 50 << 20
)

type testCase struct {
	name   string
	script string
	env    map[string]string
	stdin  []byte
	want   remote.Output
}

func said(s string) remote.Output { return remote.Output{Stdout: []byte(s)} }

// every is each byte but NUL, in an order that puts the odd ones together.
func every() string {
	var b strings.Builder
	for i := 1; i < 256; i++ {
		b.WriteByte(byte(i))
	}
	return b.String() + "\xe9'\xc3\\\xff\"$(id)`id`\x7f\x01\x01\x7f\n\n"
}

func cases() []testCase {
	value := func(name, v string) testCase {
		return testCase{name: "value/" + name, script: `printf %s "$v"`, env: map[string]string{"v": v}, want: said(v)}
	}
	exit := func(n int) testCase {
		return testCase{name: fmt.Sprint("exit ", n), script: fmt.Sprint("exit ", n), want: remote.Output{Exit: n}}
	}
	long := strings.Repeat("# a long script, of more than the kernel takes for one argument\n", 4000)
	return []testCase{
		exit(0), exit(1), exit(125), exit(126), exit(127), exit(255),
		{name: "empty script", script: ""},
		{name: "streams", script: streams, want: remote.Output{Stdout: []byte("out\n"), Stderr: []byte("err\n")}},
		{name: "last status", script: "true\nfalse", want: remote.Output{Exit: 1}},
		{name: "no errexit and no pipefail", script: "false; false | true; echo $?", want: said("0\n")},
		{name: "signal", script: "kill -TERM $$", want: remote.Output{Exit: 143}},
		{name: "signal of a child", script: `exec 2>/dev/null; (kill -KILL $BASHPID); echo $?`, want: said("137\n")},
		{name: "exit trap", script: "trap 'echo bye' EXIT; exit 4", want: remote.Output{Exit: 4, Stdout: []byte("bye\n")}},
		{name: "loop over lines", script: "for i in 1 2; do\n  echo $i\ndone", want: said("1\n2\n")},
		{name: "heredoc", script: "cat <<'EOF'\n  a $HOME `id` \\\n\tb\nEOF\ncat <<EOF\n$((1+1))\nEOF", want: said("  a $HOME `id` \\\n\tb\n2\n")},
		{name: "shebang", script: "#!/bin/bash\necho hi", want: said("hi\n")},
		{name: "as written", script: "cat <<'EOF'\n" + strings.ReplaceAll(every(), "\n", "") + "\nEOF", want: said(strings.ReplaceAll(every(), "\n", "") + "\n")},
		{name: "bash", script: `[[ abc =~ ^a(.)c$ ]] && echo "${BASH_REMATCH[1]}" && echo $# "$0" $LINENO`, want: said("b\n0 bash 1\n")},
		{name: "line numbers", script: "\n\necho $LINENO", want: said("3\n")},
		{name: "syntax error", script: "echo a\nif )\necho b", want: remote.Output{Exit: 2, Stdout: []byte("a\n"), Stderr: []byte("bash: eval: line 2: syntax error near unexpected token `)'\nbash: eval: line 2: `if )'\n")}},
		{name: "long", script: long + "echo end", want: said("end\n")},
		{name: "no stdin", script: `readlink /proc/self/fd/0; cat; read -r a; echo "$?"`, want: said("/dev/null\n1\n")},
		{name: "stdin", script: `read -r a; echo "[$a]"; cat`, stdin: []byte("one\ntwo\x00" + every()), want: said("[one]\ntwo\x00" + every())},
		{name: "stdin not read", script: "echo hi", stdin: bytes.Repeat([]byte("x"), 4<<20), want: said("hi\n")},
		{name: "binary out", script: `printf 'caf\xe9\0\xff\r\n'`, want: said("caf\xe9\x00\xff\r\n")},
		{name: "no terminal", script: `tty; [ -t 1 ] || echo none; [ -t 2 ] || echo none`, want: said("not a tty\nnone\nnone\n")},
		{name: "streams can be opened", script: `echo a >/dev/stdout; echo b | tee /dev/stderr`, want: remote.Output{Stdout: []byte("a\nb\n"), Stderr: []byte("b\n")}},
		{name: "environment", script: `echo "$TZ $COLUMNS $TERM $(umask)"; case $LC_ALL in C | C.UTF-8) echo yes ;; esac`, want: said("UTC 120 dumb 0022\nyes\n")},
		{name: "path", script: `case :$PATH: in *:/usr/sbin:*:/sbin:*) echo yes ;; esac`, want: said("yes\n")},
		{name: "home", script: `eval "home=~${SUDO_USER:-$USER}"; [ "$PWD" = "$home" ] && echo yes`, want: said("yes\n")},
		{name: "nothing of ours", script: `compgen -v | grep -i labctl; declare -F`, want: said(remote.Mark + "\n")},
		{name: "own session", script: `set -- $(cut -d' ' -f5,6 /proc/$$/stat); [ "$1" = "$2" ] && echo yes`, want: said("yes\n")},
		{name: "overridden", script: `echo "$TZ $LC_ALL"`, env: map[string]string{"TZ": "Asia/Tokyo", "LC_ALL": "C"}, want: said("Asia/Tokyo C\n")},
		value("empty", ""),
		value("spaces", "  a  b \t\n"),
		value("quotes", `it's "so" '' ''' \'`),
		value("expansions", "$HOME ${x} $(id) `id` ~ * ? [a] {a,b} !! \\n %s"),
		value("lines", "a\nb\n\nc\n"),
		value("unicode", "žluťoučký 你好 🐍 \u202e"),
		value("every byte", every()),
		value("long", strings.Repeat("long value ", 5000)), // one exported value may not be more than 128 KiB
		{name: "exported", script: `bash -c 'printf %s "$a$b"'`, env: map[string]string{"a": "1\n", "b": "2"}, want: said("1\n2")},
		{name: "late output", script: "exec > >(sleep 0.5; cat)\necho late", want: said("late\n")},
		{name: "held", script: "sleep 7 &\necho started", want: remote.Output{Stdout: []byte("started\n"), Held: true}},
		{name: "held and full", script: "sleep 7 &\nhead -c 300000 /dev/zero | tr '\\0' 'x'", want: remote.Output{Stdout: bytes.Repeat([]byte("x"), 300000), Held: true}},
		{name: "background", script: "sleep 7 >/dev/null 2>&1 &\necho started", want: said("started\n")},
	}
}

// Answer is what the suite's scripts do on a real node, for a connection that
// has none: the output, and the time that it takes after that.
func Answer(c remote.Command) (out remote.Output, after time.Duration) {
	switch c.Script {
	case endless:
		return said("begun\n"), 600 * time.Second
	case endless5:
		return said("begun\n"), 5 * time.Second
	case flood:
		b := bytes.Repeat([]byte("       \n"), floodSize/floodLine)
		for end := floodLine - 1; end < len(b); end += floodLine {
			for n, i := end/floodLine+1, end-1; n > 0; n, i = n/10, i-1 {
				b[i] = byte('0' + n%10)
			}
		}
		return remote.Output{Exit: 3, Stdout: b}, 0
	case `printf %s "$v"`:
		return said(c.Env["v"]), 0
	}
	for _, k := range cases() {
		if k.script == c.Script {
			return k.want, 0
		}
	}
	return remote.Output{}, 0 // makeDir and dropDir
}
