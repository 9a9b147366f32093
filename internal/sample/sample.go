// Package sample looks at a node's packet filter and connections every few seconds,
// and says what has changed since it looked before. It is for whoever watches a lab
// run: nothing is judged by it, and nothing it does changes a node.
package sample

import (
	_ "embed" // what is asked of a node
	"strconv"
	"strings"

	"labctl/internal/remote"
)

//go:embed look.sh
var look string

// most is how many lines of each kind a look takes in: 500 rules are a cluster with
// some sixty Services, and more than anybody reads on a projector.
const most = 500

// command is one look at a node.
func command() remote.Command {
	return remote.Command{Script: look, Env: map[string]string{"LIMIT": strconv.Itoa(most)}, Root: true}
}

// seen is what one look has shown.
type seen struct {
	rules, conns []string
	// rulesLack and connsLack say why there is nothing; empty if that is all there is.
	rulesLack, connsLack string
	// local counts connections of the node with itself, which are left out: a control
	// plane has dozens that nobody asks about.
	local int
}

// read makes sense of what the script printed.
func read(out string) seen {
	var s seen
	section, table := "", ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		lack, lacks := strings.CutPrefix(line, "!")
		switch {
		case strings.HasPrefix(line, "== "):
			section = strings.TrimPrefix(line, "== ")
		case lacks && section == "rules":
			s.rulesLack = lack
		case lacks:
			s.connsLack = lack
		case section == "rules" && strings.HasPrefix(line, "*"):
			table = strings.TrimPrefix(line, "*")
		case section == "rules":
			s.rules = append(s.rules, rule(table, line))
		case section == "ipvs":
			s.rules = append(s.rules, virtual(line)...)
		case section == "connections":
			text, local := connection(line)
			if local {
				s.local++
			} else if text != "" {
				s.conns = append(s.conns, text)
			}
		}
	}
	return s
}
