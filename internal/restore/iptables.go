package restore

import (
	"slices"
	"strings"
)

// unordered are chains whose rules kube-proxy writes anew at each sync, Service
// by Service as a map gives them: the order differs from sync to sync and means
// nothing, since each rule is for another destination.
var unordered = []string{"KUBE-SERVICES", "KUBE-EXTERNAL-SERVICES", "KUBE-NODEPORTS", "KUBE-PROXY-FIREWALL"}

// iptables makes of iptables-save the commands that would make it: counters and
// dates go, tables and chains are sorted, the rules of a chain stay in their
// order. A built-in chain that accepts is left out, for it does what one that is
// not there does: looking at a table is enough to make it appear.
func iptables(p piece) []string {
	type chain struct{ head, rules []string }
	chains := map[string]*chain{}
	var keys []string
	at := func(table, name string) *chain {
		key := table + " " + name
		if chains[key] == nil {
			chains[key] = &chain{}
			keys = append(keys, key)
		}
		return chains[key]
	}
	table := ""
	for _, line := range p.lines() {
		switch words := strings.Fields(line); {
		case line[0] == '*':
			table = line[1:]
		case line[0] == ':' && len(words) > 1 && words[1] == "-":
			c := at(table, words[0][1:])
			c.head = append(c.head, "-t "+table+" -N "+words[0][1:])
		case line[0] == ':' && len(words) > 1 && words[1] != "ACCEPT":
			c := at(table, words[0][1:])
			c.head = append(c.head, "-t "+table+" -P "+words[0][1:]+" "+words[1])
		case words[0] == "-A" && len(words) > 1:
			c := at(table, words[1])
			c.rules = append(c.rules, "-t "+table+" "+line)
		}
	}
	slices.Sort(keys)
	var lines []string
	for _, key := range keys {
		if _, name, _ := strings.Cut(key, " "); slices.Contains(unordered, name) {
			slices.Sort(chains[key].rules)
		}
		lines = append(append(lines, chains[key].head...), chains[key].rules...)
	}
	return lines
}
