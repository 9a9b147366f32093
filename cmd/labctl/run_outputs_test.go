package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/report"
)

// nothing is a teardown for labs that leave nothing.
const nothing = "teardown:\n  - {id: nothing, title: Nothing to do, on: a, run: \"true\"}\n"

// step is one step of a lab, its script in YAML's own quotes.
func step(id, run, more string) string {
	script, err := json.Marshal(run)
	if err != nil {
		panic(err) // a string always is JSON
	}
	return fmt.Sprintf("  - {id: %s, title: t, on: a, run: %s%s}\n", id, script, more)
}

// TestRunOfOddOutputs runs single steps whose output could be taken for what it
// is not.
func TestRunOfOddOutputs(t *testing.T) {
	g := hostsGround(t)
	for i, test := range []struct {
		name, run, more string
		code            int
		says            string
	}{
		{"absence by a program that is not there", "pingx 192.0.2.1", ", checks: [{stdout: {notContains: 64 bytes}}]", exitError, "command not found"},
		{"absence by a file that cannot be run", "touch /tmp/x; trap 'rm /tmp/x' EXIT; /tmp/x", ", checks: [{stdout: {empty: true}}]", exitError, "Permission denied"},
		{"a program that is not there, as expected", "pingx", ", checks: [{exit: 127}, {stderr: {contains: not found}}]", exitOK, ""},
		{"the left side of a pipe", "false | cat", "", exitOK, ""},
		{"the left side of a pipe, with pipefail", "set -o pipefail; false | cat", "", exitFailed, "exit code 0"},
		{"absence by a program that is not there, in a pipe", "set -o pipefail; nosuch | cat", ", checks: [{stdout: {empty: true}}]", exitError, ""},
		{"an exit code that is expected", "exit 3", ", checks: [{exit: 3}]", exitOK, ""},
		{"another than is expected", "exit 3", ", checks: [{exit: 4}]", exitFailed, "exit code 4"},
		{"death by a signal", "kill -SEGV $$", ", checks: [{exit: 139}]", exitOK, ""},
		{"bytes that are no UTF-8", `printf 'caf\xe9\n'`, `, checks: [{stdout: {equals: 'caf\xe9'}}]`, exitOK, ""},
		{"carriage returns and trailing blanks", `printf 'NAME   \r\nfoo  \t\r\n\n'`, `, checks: [{stdout: {equals: "NAME\nfoo"}}]`, exitOK, ""},
		{"colours", `printf '\e[31mred\e[0m\n'`, `, checks: [{stdout: {equals: red}}]`, exitOK, ""},
		{"a line of 300 KB", "head -c 300000 /dev/zero | tr '\\0' x; echo end", ", checks: [{stdout: {matches: 'xxend$'}}]", exitOK, ""},
		{"absence in what is too long to keep", "head -c 20000000 /dev/zero | tr '\\0' x", ", checks: [{stdout: {notContains: y}}]", exitError, ""},
		{"a child that holds the output", "nohup sleep 777 & echo started", `, checks: [{stdout: {equals: started}}]`, exitOK, ""},
		{"a loop and a here-document", "for i in 1 2; do\necho $i\ndone\ncat <<'EOF'\n  a\nEOF", `, checks: [{stdout: {equals: "1\n2\n  a"}}]`, exitOK, ""},
		{"nothing on standard input", "cat; read x; echo $?", `, checks: [{stdout: {equals: "1"}}]`, exitOK, ""},
		{"neither what is said nor what is known", "echo three", ", claims: [{id: A1, where: w, text: t, says: [{stdout: {equals: one}}], shows: [{stdout: {equals: two}}], otherwise: wrong, because: b}]", exitFailed, "A1"},
		{"both what is said and what is known", "echo three", ", claims: [{id: A1, where: w, text: t, says: [{stdout: {contains: th}}], shows: [{stdout: {contains: ree}}], otherwise: wrong, because: b}]", exitError, "A1"},
		{"what is known instead", "echo three", ", claims: [{id: A1, where: w, text: t, says: [{stdout: {equals: one}}], shows: [{stdout: {equals: three}}], otherwise: moved, because: b}]", exitOK, "moved"},
	} {
		t.Run(test.name, func(t *testing.T) {
			begun := time.Now()
			out := g.runs(t, test.code, "run", labFile(t, fmt.Sprintf("odd%d", i), "steps:\n"+step("odd", test.run, test.more)+
				"teardown:\n"+step("clean", "for p in $(pidof sleep); do kill -KILL $p; done; rm -f nohup.out", "")))
			assert.Less(t, time.Since(begun), 60*time.Second)
			assert.Contains(t, out, test.says)
		})
	}
	g.untouched(t)
}

// TestRunCarriesValues captures what YAML or a shell would take for something
// else, and finds it as it was in a script and in a check.
func TestRunCarriesValues(t *testing.T) {
	g := hostsGround(t)
	values := []string{"007", "1e3", "5.0", "0x10", "no", "null", "~", "12:30", "2024-01-01", "-1", "a b", `'"$HOME`, `\n`, "*", "é"}
	var steps strings.Builder
	for i, v := range values {
		quoted := "'" + strings.ReplaceAll(v, "'", `'\''`) + "'"
		fmt.Fprintf(&steps, "%s%s", step(fmt.Sprintf("say-%d", i), "printf '%s\\n' "+quoted, fmt.Sprintf(", capture: {V%d: '^(.*)$'}", i)),
			step(fmt.Sprintf("use-%d", i), fmt.Sprintf(`[ "$V%d" = %s ] && printf '%%s\n' "$V%d"`, i, quoted, i), fmt.Sprintf(", checks: [{exit: 0}, {stdout: {equals: '${V%d}'}}, {value: {of: '${V%d}', equals: %s}}]", i, i, yamlQuoted(v))))
	}
	g.runs(t, exitOK, "run", labFile(t, "values", "steps:\n"+steps.String()+nothing))
	// As a variable of the command line they are the same.
	for _, v := range []string{"007", "null", `'"$HOME`} {
		file := labFile(t, "given", "vars: {GIVEN: ''}\nsteps:\n"+step("use", `printf '%s\n' "$GIVEN"`, ", checks: [{stdout: {equals: "+yamlQuoted(v)+"}}, {value: {of: '${GIVEN}', equals: "+yamlQuoted(v)+"}}]")+nothing)
		g.runs(t, exitOK, "run", file, "--var", "GIVEN="+v)
		g.runs(t, exitFailed, "run", file, "--var", "GIVEN=other")
	}
}

func yamlQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// A step that has no time left is killed whole, and what it had said is kept.
func TestRunKillsWhatHasNoTimeLeft(t *testing.T) {
	g := hostsGround(t)
	begun := time.Now()
	g.runs(t, exitError, "run", labFile(t, "late", "steps:\n"+step("late", "echo said; touch /tmp/late; setsid sleep 777 & (sleep 778 &) ; sleep 777", ", timeout: 2s, checks: [{stdout: {notContains: x}}]")+
		"teardown:\n"+step("clean", "rm /tmp/late; ! pidof sleep", "")))
	assert.Less(t, time.Since(begun), 60*time.Second)
	g.untouched(t)
	r := g.result(t, "late")
	assert.True(t, r.Plans[0].Steps[0].Attempts[0].TimedOut)
	assert.Equal(t, "said\n", r.Plans[0].Steps[0].Attempts[0].Stdout)
	assert.Equal(t, "pass", r.Plans[1].Verdict)
}

// A flood takes no more memory than is kept, and no more of the disk.
func TestRunOfAFlood(t *testing.T) {
	g := hostsGround(t)
	s := g.start(t, "run", labFile(t, "flood", "steps:\n"+step("flood", "echo first; head -c 200000000 /dev/zero | tr '\\0' 'x' | fold -w 99; echo last", ", checks: [{stdout: {contains: last}}]")+nothing))
	require.Equal(t, exitOK, s.wait(t), "%s", &s.said)
	usage, ok := s.ProcessState.SysUsage().(*syscall.Rusage)
	require.True(t, ok)
	assert.Less(t, usage.Maxrss, int64(200<<10), "KiB at most")
	a := g.result(t, "flood").Plans[0].Steps[0].Attempts[0]
	assert.Greater(t, a.Dropped, int64(190_000_000))
	assert.Greater(t, a.Elided, int64(4_000_000))
	assert.Less(t, len(a.Stdout), 70_000)
	assert.Contains(t, a.Stdout, "bytes left out")
	info, err := os.Stat(filepath.Join(filepath.Dir(g.latest("flood")), a.StdoutFile))
	require.NoError(t, err)
	assert.LessOrEqual(t, info.Size(), int64(4<<20))
}

// A full disk ends the step, and not the run.
func TestRunThatFillsTheDisk(t *testing.T) {
	g := hostsGround(t)
	g.runs(t, exitFailed, "run", labFile(t, "full", "steps:\n"+step("fill", "cat /dev/zero > /tmp/full", "")+"teardown:\n"+step("clean", "rm /tmp/full", "")))
	g.untouched(t)
	assert.Contains(t, g.result(t, "full").Plans[0].Steps[0].Attempts[0].Stderr, "No space left")
}

// What failed is told from a teardown that failed, and neither hides the other.
func TestRunTellsStepsFromTeardown(t *testing.T) {
	g := hostsGround(t)
	for name, c := range map[string]struct{ step, teardown string }{
		"both": {"false", "false"}, "steps": {"false", "true"}, "teardown": {"true", "false"},
	} {
		g.runs(t, exitFailed, "run", labFile(t, name, "steps:\n"+step("one", c.step, "")+"teardown:\n"+step("td", c.teardown, "")+step("td2", "true", "")))
		r := g.result(t, name)
		want := map[string]string{"true": "pass", "false": "fail"}
		assert.Equal(t, want[c.step], r.Plans[0].Verdict, name)
		assert.Equal(t, want[c.teardown], r.Plans[1].Verdict, name)
		assert.Equal(t, "pass", r.Plans[1].Steps[1].Verdict, "a teardown goes on")
		assert.Equal(t, journal.Restored, r.Restore.Verdict)
	}
}

// Reports that cannot be written are told, and cost the run nothing of what it
// found.
func TestRunKeepsItsCodeWithoutReports(t *testing.T) {
	g := hostsGround(t)
	inTheWay := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(inTheWay, nil, 0o600))
	for code, script := range map[int]string{exitFailed: "false", exitError: "true"} {
		out := g.runs(t, code, "run", labFile(t, "x", "steps:\n"+step("one", script, "")+"teardown:\n"+step("td", "true", "")), "--report", inTheWay)
		assert.Contains(t, out, "error: making the folder")
	}
}

// A secret is nowhere in what is kept or shown, in whatever form it was printed,
// and is compared as it is.
func TestRunHidesSecrets(t *testing.T) {
	g := hostsGround(t)
	const given, found = "s3cr3t/Given+é", "f0und/&Key=="
	forms := func(s string) []string {
		return []string{
			s, base64.StdEncoding.EncodeToString([]byte(s)), base64.URLEncoding.EncodeToString([]byte(s)),
			url.QueryEscape(s), url.PathEscape(s),
		}
	}
	var all []string
	for _, s := range []string{given, found} {
		all = append(all, forms(s)...)
	}
	cmd := g.start(t, "run", labFile(t, "secrets", "vars: {GIVEN: {secret: true}}\nsteps:\n"+
		step("find", "printf 'token=f0und/%sKey==\\n' '&'", ", capture: {TOKEN: {pattern: '^token=(\\S+)$', secret: true}}")+
		step("say", `for s in "$GIVEN" "$TOKEN"; do printf '%s\n' "$s"; printf %s "$s" | base64; printf %s "$s" | base64 | tr +/ -_; done; printf %s "xx$GIVEN" | base64; echo "$GIVEN" >&2
		printf '%s\n' `+strings.Join(quoteAll(all), " "), ", checks: [{stdout: {contains: '${GIVEN}'}}, {stdout: {contains: '${TOKEN}'}}]")+
		step("fail", `echo "$GIVEN"; echo "$TOKEN"; touch "/tmp/$GIVEN" 2>/dev/null; touch /tmp/f0und`, ", checks: [{stdout: {equals: '${TOKEN}'}}, {value: {of: '${GIVEN}', equals: '${TOKEN}'}}]")+
		"teardown:\n"+step("clean", `echo "$GIVEN $TOKEN"; rm -f /tmp/f0und`, "")), "--var", "GIVEN="+given, "-v", "--report", filepath.Join(g.state, "reports"))
	require.Equal(t, exitFailed, cmd.wait(t), "%s", &cmd.said)
	g.untouched(t)
	leaks := func(where, text string) {
		for _, form := range all {
			assert.NotContains(t, text, form, where)
		}
		// However it begins in a longer text in base64.
		for _, s := range []string{given, found} {
			for shift := range 3 {
				inner := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + s))
				assert.NotContains(t, text, inner[4:len(inner)-4], where)
			}
		}
	}
	leaks("console", cmd.said.String())
	assert.Contains(t, cmd.said.String(), journal.Masked)
	files := 0
	require.NoError(t, filepath.WalkDir(g.state, func(path string, d fs.DirEntry, err error) error {
		// The lab as it was written has what its author wrote there.
		if err != nil || !d.Type().IsRegular() || filepath.Base(path) == journal.LabFile {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		leaks(path, string(content))
		return err
	}))
	assert.Greater(t, files, 10)
}

// quoteAll writes texts so that none of them is in the script as it is.
func quoteAll(all []string) []string {
	var quoted []string
	for _, s := range all {
		var b strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		}
		quoted = append(quoted, "$'"+b.String()+"'")
	}
	return quoted
}

// What a guest prints is taken for hostile; each report of it can be read.
func TestRunOfHostileOutput(t *testing.T) {
	g := hostsGround(t)
	g.runs(t, exitFailed, "run", labFile(t, "hostile", "steps:\n"+
		step("hostile", `printf '\000\001\033]0;title\007\b\x7f\xff\xfe\n]]>\n<script>alert(1)</script>\n&amp; </pre><!-- -->\n`+"```"+`\n| a | b |\n\xed\xa0\x80 \xef\xbf\xbf \xe2\x80\xae'`, ", checks: [{stdout: {equals: '<script>alert(2)</script> ]]>'}}]")+nothing))
	dir := filepath.Dir(g.latest("hostile"))
	content, err := os.ReadFile(filepath.Join(dir, report.JUnitFile))
	require.NoError(t, err)
	for d := xml.NewDecoder(bytes.NewReader(content)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if !assert.NoError(t, err) {
			break
		}
	}
	if xmllint, err := exec.LookPath("xmllint"); err == nil {
		out, err := exec.CommandContext(t.Context(), xmllint, "--noout", filepath.Join(dir, report.JUnitFile)).CombinedOutput()
		assert.NoError(t, err, "%s", out)
	}
	if jq, err := exec.LookPath("jq"); err == nil {
		out, err := exec.CommandContext(t.Context(), jq, "-e", ".verdict", filepath.Join(dir, report.JSONFile)).CombinedOutput()
		assert.NoError(t, err, "%s", out)
		assert.Equal(t, "\"fail\"\n", string(out))
	}
	page, err := os.ReadFile(filepath.Join(dir, report.HTMLFile))
	require.NoError(t, err)
	assert.NotContains(t, string(page), "<script>alert")
	assert.NotContains(t, string(page), "\x1b")
}
