package report

import (
	"cmp"
	"fmt"
	"strings"

	"labctl/internal/journal"
)

// ledLine is what an instructor did, on one line; empty for a run that nobody led.
func ledLine(r journal.Result) string {
	if r.Led == nil {
		return ""
	}
	var all []string
	times := 1
	for i, a := range r.Led.Acts {
		text := ledWords(a)
		if i+1 < len(r.Led.Acts) && ledWords(r.Led.Acts[i+1]) == text {
			times++
			continue
		}
		if times > 1 {
			text += fmt.Sprintf(" (%d times)", times)
		}
		all, times = append(all, text), 1
	}
	return cmp.Or(strings.Join(all, ", "), "ran one step after another")
}

// ledWords is one act of an instructor.
func ledWords(a journal.LedAct) string {
	before := " when all steps were through"
	if a.Step != "" {
		before = " before " + a.Step
	}
	switch a.Act {
	case journal.LedAgain:
		return "ran " + a.Step + " again"
	case journal.LedSkip, journal.LedAccept:
		return a.Act + " " + a.Step
	case journal.LedShell:
		text := "shell on " + a.Node
		if a.Step != "" {
			text += " at " + a.Step
		}
		text += " for " + seconds(a.Seconds)
		if a.Error != "" {
			text += " (" + a.Error + ")"
		}
		return text
	case journal.LedRunOn:
		return "ran on to " + cmp.Or(a.Step, "the end")
	case journal.LedEnd:
		return "ended" + before
	case journal.LedKeep:
		return "ended" + before + " and kept the cluster"
	case journal.LedNobody:
		return "the input ended" + before
	}
	return a.Act // what a later release may say
}

// attemptOf is which of a step's attempts one is.
func attemptOf(a journal.Attempt) string {
	if a.Run > 1 {
		return fmt.Sprintf("%d of run %d", a.Number, a.Run)
	}
	return fmt.Sprint(a.Number)
}
