package draft

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	placeholder = regexp.MustCompile(`(?:^|[^<\w])<([A-Za-z][A-Za-z0-9 _.-]*)>(?:[^>]|$)`)
	endless     = regexp.MustCompile(`\btail -[a-zA-Z]*[fF]\b|\bwatch (?:-n|\w)|\bkubectl [^|;]*(?: -w\b| --watch\b)|\bping (?:[^-|;]|-[^cw])*$|\bkubectl port-forward\b`)
	capture     = regexp.MustCompile(`\btcpdump\b`)
	counted     = regexp.MustCompile(`\btcpdump\b[^|;]* -c ?\d|\btimeout\b[^|;]*\btcpdump\b`)
	terminal    = regexp.MustCompile(`\b(?:vi|vim|nano|less|more|top|htop)\b (?:[-/\w]|$)|\bkubectl (?:edit|[^|;]*exec [^|;]*-(?:it|ti)\b)`)
)

// notes are what a step cannot do as a write-up has it.
func notes(script []string) []string {
	var all []string
	seen := map[string]bool{}
	note := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !seen[text] {
			seen[text] = true
			all = append(all, text)
		}
	}
	var read reading
	for _, l := range script {
		text := read.heredoc != "" // that a command reads
		read.add(l)
		if text && read.heredoc != "" {
			continue
		}
		if m := placeholder.FindStringSubmatch(l); m != nil {
			note("write what <%s> stands for", m[1])
		}
		switch {
		case terminal.MatchString(l):
			note("a step has no terminal: say it without one")
		case endless.MatchString(l), capture.MatchString(l) && !counted.MatchString(l):
			note("it does not end by itself: give the step background: true, and a later one stop: with its id")
		}
	}
	return all
}

var (
	assigned = regexp.MustCompile(`(?m)(?:^|[;&|]\s*|\bexport )\s*([A-Za-z_][A-Za-z0-9_]*)=`)
	used     = regexp.MustCompile(`\$\{?([A-Za-z_][A-Za-z0-9_]*)`)
	loops    = regexp.MustCompile(`\b(?:for|read) ([A-Za-z_][A-Za-z0-9_]*)`)
)

// variables notes what steps need of others: each is a shell of its own.
func (a *arranger) variables(list []*step) {
	from := map[string]string{}
	for i, s := range list {
		script := strings.Join(s.script, "\n")
		own := map[string]bool{}
		for _, pattern := range []*regexp.Regexp{assigned, loops} {
			for _, m := range pattern.FindAllStringSubmatch(script, -1) {
				own[m[1]] = true
			}
		}
		var needs []string
		for _, m := range used.FindAllStringSubmatch(script, -1) {
			if !own[m[1]] && from[m[1]] != "" && !slices.Contains(needs, m[1]) {
				needs = append(needs, m[1])
			}
		}
		for _, name := range needs {
			s.todo = append(s.todo, fmt.Sprintf("$%s is set in %s: let that print it, and capture it there: capture: {%s: '^%s=(.*)$'}", name, from[name], name, name))
		}
		for name := range own {
			from[name] = id("step", i)
		}
	}
}

// id is that of a step, from 0.
func id(kind string, i int) string { return fmt.Sprintf("%s-%02d", kind, i+1) }
