package main

import (
	"fmt"
	"strings"

	"labctl/internal/journal"
	"labctl/internal/labrun"
)

// verb is what an instructor may type: a letter, or a word in a script that should
// read well.
type verb struct {
	letter, word string
	// act is that of the order.
	act string
	// takes says that something may follow.
	takes bool
	// short is how the line of verbs has it, help how the list does.
	short, help string
	// makesSense tells whether it does at a turn, and no is said where it does not.
	makesSense func(labrun.Turn) bool
	no         string
}

// What is no order.
const (
	verbHelp     = "help"
	verbExpected = "expected"
)

func always(labrun.Turn) bool     { return true }
func failed(at labrun.Turn) bool  { return at.Failed }
func passing(at labrun.Turn) bool { return !at.Failed }
func before(at labrun.Turn) bool  { return !at.Failed && at.Next != nil }
func ran(at labrun.Turn) bool     { return at.Last != nil && at.Last.Stop == "" }

// verbs are all, in the order in which they are listed.
func verbs() []verb {
	return []verb{
		{"", "", "", false, "Enter run", "run the step; when all are through, end the run", passing, "It did not pass: r runs it again, s opens a shell, a goes on all the same, q ends."},
		{"r", "again", journal.LedAgain, false, "r again", "run the last step again: what it comes to then is what counts", ran, "There is no step to run again, or it has ended one that runs no more."},
		{"s", "shell", journal.LedShell, true, "s shell", "a shell with the step's variables (s NODE: elsewhere); exit returns", always, ""},
		{"e", "expected", verbExpected, false, "e expected", "what should come: checks, what the write-up says, what is known", func(at labrun.Turn) bool { return at.About != nil }, "There is no step."},
		{"a", "accept", journal.LedAccept, false, "a accept", "go on though the step did not pass; the verdict stays what it is", failed, "There is nothing to accept: no step failed."},
		{"x", "skip", journal.LedSkip, false, "x skip", "skip the step", before, "There is no step to skip now."},
		{"g", "go", journal.LedRunOn, true, "g go on", "run on without asking (g STEP: to there); what fails asks", before, "There is nothing to run on to now."},
		{"q", "end", journal.LedEnd, false, "q end", "end the run and put the cluster back", always, ""},
		{"k", "keep", journal.LedKeep, false, "k keep", "end the run and leave the cluster as it is", always, ""},
		{"?", "help", verbHelp, false, "?", "this list", always, ""},
	}
}

func find(word string) (verb, bool) {
	for _, v := range verbs() {
		if word == v.letter || word == v.word {
			return v, true
		}
	}
	return verb{}, false
}

// menu is what may be typed, on one line.
func (i *instructor) menu(at labrun.Turn) {
	var all []string
	for _, v := range verbs() {
		switch {
		case !v.makesSense(at):
		case v.letter == "" && at.Next == nil:
			all = append(all, "Enter end")
		case v.act == journal.LedEnd && at.Next == nil:
			all = append(all, "q put back")
		default:
			all = append(all, v.short)
		}
	}
	i.say("", "["+strings.Join(all, ", ")+"]")
}

// help lists what may be typed and is wanted.
func (i *instructor) help(wanted func(verb) bool) {
	for _, v := range verbs() {
		if !wanted(v) {
			continue
		}
		letter := v.letter
		if letter == "" {
			letter = "Enter"
		}
		i.item(fmt.Sprintf("  %-6s ", letter), v.help)
	}
}
