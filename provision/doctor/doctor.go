// Package doctor looks at this machine and says what would keep a pair from
// coming up, with one line for each thing to mend. It only reads: it makes no
// file, starts no daemon and loads no kernel module.
//
// Each check is a small function of a survey: the question, the machine as a
// set of replaceable functions, and the few facts that several checks share.
package doctor

import (
	"context"
	"time"
)

// Level says how much a finding matters.
type Level string

// The levels.
const (
	OK   Level = "ok"
	Note Level = "note" // works, with a drawback that the text names
	Bad  Level = "bad"  // a pair would not come up, or an image not be built
)

// Finding is what one check saw.
type Finding struct {
	// Check is the check's name; it does not change between releases.
	Check string `json:"check"`
	Level Level  `json:"level"`
	// Text says what was seen, in one line.
	Text string `json:"text"`
	// Fix is one line that mends it, a command where there is one; empty if OK.
	Fix string `json:"fix,omitempty"`
}

// check is one thing to look at. It returns no finding where its question does
// not arise, such as local memory for a hypervisor on another machine.
type check struct {
	name string
	look func(context.Context, survey) []Finding
}

// checks are in the order of the output: who and where, then what a pair needs,
// then what an image needs.
func checks() []check {
	return []check{
		{"rights", rights},
		{"hypervisor", hypervisor},
		{"sockets", sockets},
		{"libvirt", libvirtVersion},
		{"qemu", qemuVersion},
		{"checkpoints", checkpoints},
		{"accelerator", accelerator},
		{"cpus", cpus},
		{"memory", memory},
		{"sharing", sharing},
		{"space", space},
		{"network", network},
		{"firewall", firewall},
		{"names", names},
		{"programs", programs},
		{"namespaces", namespaces},
		{"image", goldenImage},
		{"image-programs", imagePrograms},
		{"go", goToolchain},
		{"clock", clock},
	}
}

// The two limits keep an examination under 5 s whatever hangs, but for reading a
// whole image (Question.Deep). On an idle 2-core machine it takes 0.2 s.
const (
	// askLimit is for a daemon's answer: one that is stopped takes the connection
	// and says nothing, one that systemd starts for us needed 2 s under full load.
	askLimit = 3 * time.Second
	// lookLimit is for all checks together.
	lookLimit = 1900 * time.Millisecond
)

// Examine runs all checks, one after another.
func Examine(ctx context.Context, m Machine) []Finding {
	s := newSurvey(ctx, m)
	limited, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	all := []Finding{} // an empty list in JSON, not null
	for _, c := range checks() {
		for _, f := range c.look(limited, s) {
			f.Check = c.name
			all = append(all, f)
		}
	}
	return all
}

// Worst is the gravest level among findings; OK if there are none.
func Worst(findings []Finding) Level {
	worst := OK
	for _, f := range findings {
		if f.Level == Bad {
			return Bad
		}
		if f.Level == Note {
			worst = Note
		}
	}
	return worst
}

func ok(text string) []Finding        { return []Finding{{Level: OK, Text: text}} }
func note(text, fix string) []Finding { return []Finding{{Level: Note, Text: text, Fix: fix}} }
func bad(text, fix string) []Finding  { return []Finding{{Level: Bad, Text: text, Fix: fix}} }
func at(l Level, text, fix string) []Finding {
	return []Finding{{Level: l, Text: text, Fix: fix}}
}
