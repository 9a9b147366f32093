package propose

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/labrun"
	"labctl/internal/plan"
)

var update = flag.Bool("update", false, "rewrite what the proposals are in testdata")

const head = `apiVersion: labctl/v1
kind: Lab
name: x
title: x
writeup: x
topology: pair
`

const tail = "teardown:\n  - {id: end, title: End, on: cp, run: \"true\", checks: [{stdout: {empty: true}}]}\n"

// record makes a run of a lab that printed this: files STEP/NODE with stdout,
// STEP/NODE/stderr and STEP/NODE/exit; STEP/NODE/2 is a second attempt. What is in
// also/ is another run's.
func record(t *testing.T, l lab.Lab, files map[string]string) *journal.Folder {
	t.Helper()
	dir := t.TempDir()
	j, err := journal.Open(filepath.Join(dir, journal.JournalFile))
	require.NoError(t, err)
	say := func(e journal.Event) {
		e.Time = time.Unix(1, 0)
		require.NoError(t, j.Append(e))
	}
	say(journal.Event{Type: journal.RunStarted, Run: &journal.Run{Lab: l.Name, Claims: labrun.Claims(l)}})
	scripts := map[string]string{}
	for _, p := range l.Plans() {
		say(journal.Event{Type: journal.PlanStarted, Phase: journal.Steps, Plan: p.Name})
		for _, s := range p.Steps {
			scripts[s.ID] = s.Run
			script := s.Run + scripts[s.Stop]
			var outputs []journal.Event
			for _, node := range []string{"cp", "worker"} {
				for attempt, suffix := range []string{"", "/2", "/3"} {
					key := s.ID + "/" + node + suffix
					stdout, printed := files[key]
					if !printed && (attempt > 0 || files[key+"/stderr"]+files[key+"/exit"] == "") {
						continue
					}
					exit, _ := strconv.Atoi(strings.TrimSpace(files[key+"/exit"])) // 0 if it says none
					e := journal.Event{Type: journal.StepOutput, Step: s.ID, Node: node, Attempt: attempt + 1, Script: script, Stdout: stdout, Stderr: files[key+"/stderr"], Exit: exit}
					outputs = append(outputs, e)
				}
			}
			if len(outputs) == 0 {
				continue
			}
			say(journal.Event{Type: journal.StepStarted, Step: s.ID, Phase: journal.Steps})
			for _, e := range outputs {
				say(e)
			}
			say(journal.Event{Type: journal.StepDone, Step: s.ID, Phase: journal.Steps, Verdict: plan.Fail.String()})
		}
		say(journal.Event{Type: journal.PlanDone, Plan: p.Name})
	}
	require.NoError(t, j.Close())
	folder, err := journal.OpenFolder(dir)
	require.NoError(t, err)
	return folder
}

// Each file of testdata has a lab's steps, what a run of them printed, and what
// accepting all proposals makes of them. The comment says what it is about.
func TestProposals(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			require.NoError(t, err)
			printed := map[string]string{}
			for _, f := range a.Files {
				printed[f.Name] = string(f.Data)
			}
			tail := tail
			if strings.Contains(printed["lab"], "teardown:") {
				tail = ""
			}
			file := []byte(head + printed["lab"] + tail)
			l, err := lab.Parse("lab.yaml", file)
			require.NoError(t, err)
			folder := record(t, l, printed)
			var further []*journal.Folder
			also := map[string]string{}
			for name, content := range printed {
				if name, ok := strings.CutPrefix(name, "also/"); ok {
					also[name] = content
				}
			}
			if len(also) > 0 {
				further = append(further, record(t, l, also))
			}
			s, err := Open("lab.yaml", file, folder, further...)
			require.NoError(t, err)
			var left strings.Builder
			for {
				p, more, err := s.Next()
				require.NoError(t, err)
				if !more {
					break
				}
				for _, why := range p.Left {
					left.WriteString(p.Step + ": " + why + "\n")
				}
				if p.File != nil {
					s.Accept(p)
				}
			}
			changed := strings.TrimSuffix(strings.TrimPrefix(string(s.File()), head), tail)
			got := &txtar.Archive{Comment: a.Comment}
			for _, f := range a.Files {
				if f.Name != "want" && f.Name != "left" {
					got.Files = append(got.Files, f)
				}
			}
			got.Files = append(got.Files, txtar.File{Name: "want", Data: []byte(changed)}, txtar.File{Name: "left", Data: []byte(left.String())})
			if *update {
				require.NoError(t, os.WriteFile(name, txtar.Format(got), 0o600))
			}
			assert.Empty(t, string(diff.Diff("want", txtar.Format(a), "got", txtar.Format(got))))
			settles(t, s.File(), folder, printed["left"] == "")
			for _, f := range further {
				passes(t, s.File(), f, "wrong")
			}
		})
	}
}

// settles demands that a lab's steps pass for the run, and that there is nothing
// left to propose.
func settles(t *testing.T, file []byte, folder *journal.Folder, whole bool) {
	t.Helper()
	if whole {
		passes(t, file, folder, "")
	}
	s, err := Open("lab.yaml", file, folder)
	require.NoError(t, err)
	p, more, err := s.Next()
	require.NoError(t, err)
	for more && p.File == nil {
		p, more, err = s.Next()
		require.NoError(t, err)
	}
	assert.False(t, more, "again, for %s", p.Step)
}

// passes demands that a lab's steps pass for a run, but for one.
func passes(t *testing.T, file []byte, folder *journal.Folder, but string) {
	t.Helper()
	l, err := lab.Parse("lab.yaml", file)
	require.NoError(t, err)
	result, err := labrun.Judge(folder, l)
	require.NoError(t, err)
	for _, s := range result.Plans[0].Steps {
		if s.ID != but {
			text, err := json.MarshalIndent(s, "", "  ")
			require.NoError(t, err)
			assert.Equal(t, plan.Pass.String(), s.Verdict, "%s", text)
		}
	}
}
