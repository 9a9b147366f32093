// Package compare says what is different between runs of a lab: between two of
// them, and over many. It sees what others have read, judges nothing anew, and
// never calls a difference good or bad.
//
// Times are only comparable on the same machine: runs on different accelerators
// or kernels are different series, and no rule here looks across two of them.
package compare

import (
	"cmp"
	"path/filepath"
	"strings"
	"time"

	"labctl/internal/journal"
	"labctl/internal/plan"
)

// Run is a recorded run as far as it could be read.
type Run struct {
	// Folder is where it is. Its name stands for what the journal does not say.
	Folder string
	journal.Result
	// File tells the lab's file as it was from others, by its hash; empty if the run
	// keeps none.
	File string
	// Limits are those of the steps of that file, as written; nil if it cannot be
	// read today.
	Limits map[string]Limit
	// Sabotage says that the cluster was broken on purpose between steps.
	Sabotage bool
	// Damage is why not all of it could be read; empty if it could.
	Damage string
}

// Kind says how much of the lab a run is of.
type Kind string

// The kinds of runs.
const (
	Whole    Kind = "whole"    // all steps, in whatever order
	Part     Kind = "part"     // of the steps that were asked for
	Drill    Kind = "drill"    // a learner's turn: what failed says nothing of the lab
	Sabotage Kind = "sabotage" // broken on purpose
	Led      Kind = "led"      // an instructor may have mended, or broken, anything
)

// Line is a run in one line.
type Line struct {
	// Number is its place among the runs of its lab, from 1, the oldest first; 0 if
	// only two are compared.
	Number  int       `json:"number,omitempty"`
	Run     string    `json:"run"`
	Folder  string    `json:"folder"`
	Started time.Time `json:"started"`
	Kind    Kind      `json:"kind"`
	// Kubernetes, Kernel and Accelerator are empty where the run does not know.
	Kubernetes  string `json:"kubernetes,omitempty"`
	Kernel      string `json:"kernel,omitempty"`
	Accelerator string `json:"accelerator,omitempty"`
	Labctl      string `json:"labctl,omitempty"`
	File        string `json:"file,omitempty"`
	Verdict     string `json:"verdict"`
	// Restored is one of journal's words; By is what it took.
	Restored string                    `json:"restored"`
	By       journal.Stage             `json:"by,omitempty"`
	Seconds  float64                   `json:"seconds"`
	Counts   map[plan.ClaimVerdict]int `json:"counts,omitempty"`
	// Trouble is why the run is not whole or not whole on the disk.
	Trouble string `json:"trouble,omitempty"`

	// cut says that the run did not end by itself: what did not pass then may have
	// been kept from passing.
	cut    bool
	steps  map[string]step
	limits map[string]Limit
}

// step is one step of a run.
type step struct {
	verdict plan.Verdict
	seconds float64
	use     Use
}

// LineOf reduces a run to its line.
func LineOf(r Run) Line {
	l := Line{
		Run: cmp.Or(r.Run.ID, filepath.Join(filepath.Base(filepath.Dir(r.Folder)), filepath.Base(r.Folder))), Folder: r.Folder,
		Started: r.Started, Kind: kindOf(r),
		Kubernetes: r.Run.Kubernetes, Kernel: strings.Join(r.Run.Kernels(), ", "), Accelerator: r.Run.Accelerator,
		Labctl: r.Run.Labctl, File: r.File,
		Verdict: r.Outcome(), Restored: r.Restore.Outcome(), By: r.Restore.By, Seconds: r.Seconds, Counts: r.Counts,
		Trouble: trouble(r),
		cut:     !r.Complete || r.Interrupted != "" || r.Damage != "",
		steps:   map[string]step{}, limits: r.Limits,
	}
	if l.Started.IsZero() {
		l.Started = journal.Stamp(r.Folder)
	}
	for _, p := range r.Plans {
		if p.Phase == journal.Drill {
			continue // it is about the learner's fix
		}
		for _, s := range p.Steps {
			one := step{verdict: plan.ParseVerdict(s.Outcome()), seconds: s.Seconds}
			if one.verdict == plan.Pass {
				one.use = useOf(s, r.Limits[s.ID], r.Run.Scale)
			}
			l.steps[s.ID] = one
		}
	}
	return l
}

// lab is the name of the run's lab, or that of the folder where its runs are.
func (r Run) lab() string { return cmp.Or(r.Run.Lab, filepath.Base(filepath.Dir(r.Folder))) }

func kindOf(r Run) Kind {
	switch {
	case r.Run.Drill != nil:
		return Drill
	case r.Sabotage:
		return Sabotage
	case r.Run.Led:
		return Led
	case r.Run.From != "" || r.Run.Until != "" || len(r.Run.Only) > 0:
		return Part
	}
	return Whole
}

func trouble(r Run) string {
	switch {
	case r.Damage != "":
		return "damaged: " + r.Damage
	case !r.Complete && r.Interrupted != "":
		return "interrupted by " + r.Interrupted + ", and the record has no end"
	case !r.Complete:
		return "the record has no end: labctl was killed, or is still running"
	case r.Interrupted != "":
		return "interrupted by " + r.Interrupted
	}
	return r.Error
}

// tells says that what a run shows is about the lab.
func (l Line) tells() bool { return l.Kind == Whole || l.Kind == Part }
