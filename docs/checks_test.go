// Package docs has the project's documents, and tests that they tell the truth.
package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/lab"
	"labctl/internal/plan"
	"labctl/internal/remote"
	"labctl/internal/site"
)

// example is one output behind a check, as checks.md has it.
type example struct {
	line       int
	verdict    string
	conditions []string
	text       string
	told       string
}

var (
	judged = regexp.MustCompile(`^# (pass|fail|error)(?: \(([^)]+)\))?: ?(.*)$`)
	indent = regexp.MustCompile(`^# {5,}`)
)

// examplesIn takes a block apart: the checks, and the outputs below them.
func examplesIn(t *testing.T, b site.Block) (checks string, examples []example) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n") {
		last := len(examples) - 1
		told, isTold := strings.CutPrefix(line, "# told: ")
		m := judged.FindStringSubmatch(line)
		switch {
		case m != nil:
			e := example{line: b.Line + 1 + i, verdict: m[1], text: m[3]}
			if m[2] != "" {
				e.conditions = strings.Split(m[2], ", ")
			}
			examples = append(examples, e)
		case isTold:
			examples[last].told = told
		case strings.HasPrefix(line, "#"):
			require.Regexp(t, indent, line, "line %d", b.Line+1+i)
			examples[last].text += "\n" + indent.ReplaceAllString(line, "")
		default:
			require.Empty(t, examples, "line %d: a check stands behind its examples", b.Line+1+i)
			checks += line + "\n"
		}
	}
	return checks, examples
}

// step is the step of a lab that has these checks and variables.
func step(t *testing.T, checks, on string, vars map[string]string) plan.Step {
	t.Helper()
	var b strings.Builder
	b.WriteString("apiVersion: labctl/v1\nkind: Lab\nname: example\ntitle: An example\nwriteup: none\ntopology: pair\n")
	if len(vars) > 0 {
		b.WriteString("vars:\n")
		for name, value := range vars {
			fmt.Fprintf(&b, "  %s: %q\n", name, value)
		}
	}
	fmt.Fprintf(&b, "steps:\n  - id: example\n    title: An example\n    on: %s\n    run: \"true\"\n    checks:\n", on)
	for line := range strings.Lines(checks) {
		b.WriteString("      " + line)
	}
	b.WriteString("teardown:\n  - {id: nothing, title: Nothing, on: cp, run: \"true\"}\n")
	l, err := lab.Parse("example.yaml", []byte(b.String()))
	require.NoError(t, err, "%s", &b)
	return l.Steps.Steps[0]
}

// judge tells what becomes of a step's checks with an example's output.
func (e example) judge(t *testing.T, checks string) (verdict plan.Verdict, told string) {
	t.Helper()
	out, vars, nodes := remote.Output{}, map[string]string{}, false
	stream := &out.Stdout
	for _, c := range e.conditions {
		name, value, isVar := strings.Cut(c, "=")
		code, isExit := strings.CutPrefix(c, "exit ")
		switch {
		case isVar:
			vars[name] = value
		case isExit:
			n, err := strconv.Atoi(code)
			require.NoError(t, err)
			out.Exit = n
		case c == "stderr":
			stream = &out.Stderr
		case c == "nodes":
			nodes = true
		default:
			require.Fail(t, "what is "+c+"?", "line %d", e.line)
		}
	}
	if nodes {
		s := step(t, checks, "[cp, worker]", vars)
		outcomes := map[string]plan.Outcome{}
		for line := range strings.Lines(e.text) {
			node, text, ok := strings.Cut(strings.TrimSpace(line), ": ")
			require.True(t, ok, "line %d: %q has no node", e.line, line)
			outcomes[node] = s.Judge(node, remote.Output{Stdout: []byte(text)}, vars)
		}
		require.Len(t, outcomes, 2)
		verdict, _, _ = plan.JudgeNodes(s, outcomes)
		return verdict, ""
	}
	*stream = []byte(e.text)
	for _, c := range step(t, checks, "cp", vars).Checks {
		r := c.Judge(out, vars)
		verdict = verdict.Worse(r.Verdict)
		told = r.Want + "; got: " + r.Got
	}
	return verdict, told
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	return content
}

// TestExamplesOfChecks judges every example of checks.md.
func TestExamplesOfChecks(t *testing.T) {
	count := 0
	for _, b := range site.Blocks(read(t, "checks.md")) {
		checks, examples := examplesIn(t, b)
		verdicts := map[string]bool{}
		for _, e := range examples {
			count++
			verdicts[e.verdict] = true
			verdict, told := e.judge(t, checks)
			assert.Equal(t, e.verdict, verdict.String(), "checks.md:%d: %s", e.line, told)
			if e.told != "" {
				assert.Equal(t, e.told, told, "checks.md:%d", e.line)
			}
		}
		assert.True(t, verdicts["pass"] && verdicts["fail"], "checks.md:%d: an example of what passes and of what fails", b.Line)
	}
	assert.Greater(t, count, 50)
}

// TestEveryCheckIsExplained holds checks.md to the vocabulary that labs are loaded
// with: each check has a heading and an example below it, each word of one is in
// an example.
func TestEveryCheckIsExplained(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			Properties map[string]any
			AnyOf      []struct{ Properties map[string]any }
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(read(t, "lab.schema.json"), &schema))
	page := string(read(t, "checks.md"))
	var examples strings.Builder
	for _, b := range site.Blocks([]byte(page)) {
		checks, _ := examplesIn(t, b)
		examples.WriteString(checks)
	}
	words := func(kinds ...string) (all []string) {
		for _, kind := range kinds {
			def, ok := schema.Defs[kind]
			require.True(t, ok, kind)
			properties := []map[string]any{def.Properties}
			for _, form := range def.AnyOf {
				properties = append(properties, form.Properties)
			}
			for _, p := range properties {
				for name := range p {
					all = append(all, name)
				}
			}
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	checks := words("check", "text")
	require.Greater(t, len(checks), 20)
	for _, name := range checks {
		_, section, ok := strings.Cut(page, "\n### `"+name+"`\n")
		if assert.True(t, ok, "checks.md has a section %q", name) {
			section, _, _ = strings.Cut(section, "\n### ")
			assert.Regexp(t, `(?m)^[ \-].*\b`+name+`:`, section, "its example has it")
		}
	}
	for _, name := range words("check", "text", "value", "json", "count", "range", "ip", "line") {
		assert.Regexp(t, `\b`+name+`:`, examples.String())
	}
}
