package compare_test

import (
	"fmt"
	"time"

	"labctl/internal/compare"
	"labctl/internal/journal"
	"labctl/internal/plan"
)

var began = time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)

// night is a run of a lab with one claim and two steps, on the n-th night.
func night(n int, change ...func(*compare.Run)) compare.Run {
	at := began.AddDate(0, 0, n)
	id := "one/" + at.Format("20060102T150405Z")
	r := compare.Run{
		Folder: "runs/" + id, File: "f1",
		Limits: map[string]compare.Limit{"ask": {Attempt: 10 * time.Second}, "wait": {Attempt: 10 * time.Second, Retry: time.Minute}},
	}
	r.Result = journal.Result{
		Run: journal.Run{
			ID: id, Lab: "one", Kubernetes: "v1.37.2", Accelerator: "tcg", Scale: 8, Labctl: "v0.3.0",
			Nodes: []journal.Node{{Name: "cp", Kernel: "6.12"}, {Name: "worker", Kernel: "6.12"}},
		},
		Started: at, Ended: at.Add(time.Minute), Complete: true, Verdict: "pass", Seconds: 60,
		Plans: []journal.PlanResult{{Phase: journal.Steps, Name: "steps", Verdict: "pass", Steps: []journal.StepResult{
			step("ask", 8, "answer"), step("wait", 16, "done"),
		}}},
		Claims:  []journal.ClaimRow{{ClaimInfo: journal.ClaimInfo{ID: "A1", Where: "step 1", Text: "It answers.", Step: "ask"}, Verdict: plan.Holds, Showed: "cp: answer"}},
		Counts:  map[plan.ClaimVerdict]int{plan.Holds: 1},
		Restore: journal.Restore{Verdict: journal.Restored, By: journal.AfterTeardown},
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

// step is one that passed at its first attempt.
func step(id string, seconds float64, printed string) journal.StepResult {
	return journal.StepResult{ID: id, Title: "The step " + id, Verdict: "pass", Seconds: seconds, Started: began, Attempts: []journal.Attempt{
		{Node: "cp", Number: 1, Time: began.Add(time.Duration(seconds * float64(time.Second))), Verdict: "pass", Script: "do " + id, Stdout: printed + "\nmore\n", Seconds: seconds},
	}}
}

func of(r *compare.Run, id string) *journal.StepResult {
	for i := range r.Plans {
		for j := range r.Plans[i].Steps {
			if r.Plans[i].Steps[j].ID == id {
				return &r.Plans[i].Steps[j]
			}
		}
	}
	panic(fmt.Sprintf("no step %q", id))
}

func failing(id string) func(*compare.Run) {
	return func(r *compare.Run) {
		s := of(r, id)
		s.Verdict, r.Verdict = "fail", "fail"
		s.Attempts[0].Verdict = "fail"
		s.Attempts[0].Checks = []journal.CheckResult{{Verdict: "fail", Want: "stdout is answer", Got: "nothing"}}
	}
}

func taking(id string, seconds float64) func(*compare.Run) {
	return func(r *compare.Run) {
		s := of(r, id)
		s.Seconds, s.Attempts[0].Seconds = seconds, seconds
	}
}

func on(accelerator, kernel, kubernetes string) func(*compare.Run) {
	return func(r *compare.Run) {
		r.Run.Accelerator, r.Run.Kubernetes = accelerator, kubernetes
		for i := range r.Run.Nodes {
			r.Run.Nodes[i].Kernel = kernel
		}
	}
}

func claiming(v plan.ClaimVerdict) func(*compare.Run) {
	return func(r *compare.Run) { r.Claims[0].Verdict = v }
}

func file(hash string) func(*compare.Run) { return func(r *compare.Run) { r.File = hash } }

func killed(r *compare.Run) { r.Complete, r.Verdict = false, "" }

func drill(r *compare.Run) { r.Run.Drill = &journal.DrillInfo{ID: "d"} }

func sabotage(r *compare.Run) { r.Sabotage = true }
