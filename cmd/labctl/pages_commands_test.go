package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/site"
)

// documented is a command that a document shows.
type documented struct {
	line  int
	words []string
	// whole says that it stands in a block of code: all its arguments are there.
	whole bool
}

func (d documented) String() string { return "labctl " + strings.Join(d.words, " ") }

var (
	// spoken matches commands in running text: `labctl status`.
	spoken = regexp.MustCompile("`labctl ([^`\n]+)`")
	// inCode matches commands in code, also behind a prompt, sudo and settings.
	inCode = regexp.MustCompile(`(?:^|&& |\| |; )(?:\$ )?(?:sudo )?(?:env (?:"?\w+=\S+ )+)?(?:/usr/)?(?:bin/)?labctl ([^|&;]*)`)
	// word is one of a command line; a comment behind two blanks ends it.
	word = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
	// placeholder stands for what a reader puts in: LAB.
	placeholder = regexp.MustCompile(`^[A-Z][A-Z0-9]*…?$`)
)

// documentedIn are the commands of a document, in running text and in code that a
// shell would take.
func documentedIn(source []byte) []documented {
	var all []documented
	add := func(line int, text string, whole bool) {
		text, _, _ = strings.Cut(text, "  #")
		text, _, _ = strings.Cut(text, " >")
		var words []string
		for _, w := range word.FindAllString(text, -1) {
			words = append(words, strings.Trim(w, `'"`))
		}
		if len(words) > 0 && !placeholder.MatchString(words[0]) && words[0] != "…" {
			all = append(all, documented{line, words, whole})
		}
	}
	for i, line := range strings.Split(string(source), "\n") {
		for _, m := range spoken.FindAllStringSubmatch(line, -1) {
			add(i+1, m[1], false)
		}
	}
	for _, b := range site.Blocks(source) {
		switch b.Language {
		case "console", "sh", "bash", "":
		default:
			continue
		}
		if b.Has("wrong") {
			continue // a slip, to show what comes of it
		}
		for i, line := range strings.Split(b.Text, "\n") {
			if b.Language == "console" && !strings.HasPrefix(line, "$ ") {
				continue
			}
			for _, m := range inCode.FindAllStringSubmatch(line, -1) {
				add(b.Line+1+i, m[1], true)
			}
		}
	}
	return all
}

// understands gives a command to the real command line as far as that can be done
// without running it: its verb, its flags and the kinds of their values, and if it
// is whole the number of its arguments, too.
func understands(d documented) error {
	if help := slices.Contains(d.words, "--help"); d.whole && !help && !strings.HasPrefix(d.words[0], "-") {
		_, err := understand(d.words)
		return err
	}
	a := &app{getenv: func(string) string { return "" }}
	root := a.root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(d.words...)
	root.InitDefaultVersionFlag()
	cmd, args, err := root.Find(d.words)
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	return cmd.ParseFlags(args)
}

// TestCommandsOfThePages: no document shows a command that labctl does not take.
func TestCommandsOfThePages(t *testing.T) {
	count := 0
	for file, source := range pages(t) {
		for _, d := range documentedIn(source) {
			count++
			assert.NoError(t, understands(d), "%s:%d: %s", file, d.line, d)
		}
	}
	assert.Greater(t, count, 100)
}

func TestDocumented(t *testing.T) {
	page := "Say `labctl lsit`, or `labctl run --keep`.\n\n```console\n$ labctl run --nosuch && labctl judge\nlabctl is talk\n```\n\n" +
		"```console wrong\n$ labctl lsit\n```\n\n```\nsudo env PATH=\"$PATH\" bin/labctl ssh worker -- sudo conntrack -L\nlabctl list --bare  # labctl is talk\nlabctl COMMAND --help\nlabctl image\n```\n\n```yaml\nlabctl: no\n```\n"
	want := []string{
		`1: lsit: unknown command "lsit" for "labctl"`, "1: run --keep: flag needs an argument: --keep",
		"4: run --nosuch: unknown flag: --nosuch", "4: judge: labctl judge takes 1 arguments (RUN), not 0",
		"13: ssh worker -- sudo conntrack -L: ", "14: list --bare: unknown flag: --bare", "16: image: unknown command: [image]",
	}
	var got []string
	for _, d := range documentedIn([]byte(page)) {
		err := understands(d)
		said, _, _ := strings.Cut(fmt.Sprint(err), "\n")
		if err == nil {
			said = ""
		}
		got = append(got, fmt.Sprintf("%d: %s: %s", d.line, strings.Join(d.words, " "), said))
	}
	assert.Equal(t, want, got)
}

// TestTourOfTheReadme runs those commands of the README that need no pair.
func TestTourOfTheReadme(t *testing.T) {
	source := pages(t)["README.md"]
	ran := 0
	for _, d := range documentedIn(source) {
		line := strings.Join(d.words, " ")
		switch d.words[0] {
		case "list", "show", "status", "history", "schema", "docs", "lint", "version":
		case "up":
			// Whether seats fit is up to the machine.
			if !strings.Contains(line, "--dry-run") || strings.Contains(line, "--seats") {
				continue
			}
		default:
			continue
		}
		if !d.whole {
			continue
		}
		t.Run(line, func(t *testing.T) {
			t.Chdir(t.TempDir())
			var out, said bytes.Buffer
			state := t.TempDir()
			a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &said, getenv: func(name string) string {
				switch name {
				case "LABCTL_STATE", "LABCTL_CACHE":
					return state
				case "LIBVIRT_DEFAULT_URI":
					return ""
				}
				return os.Getenv(name)
			}}
			require.Equal(t, exitOK, a.run(t.Context(), d.words), "%s", &said)
			ran++
		})
	}
	assert.Greater(t, ran, 3)
}
