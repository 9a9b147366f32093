package restore

import (
	"fmt"
	"slices"
	"strings"

	"labctl/internal/journal"
)

// Compare says what must be put right for the cluster to be as it was at base:
// nothing if it is. Lines are compared as often as they occur. The rules of a
// chain must also be in their order; one that changed is a difference of its
// own, in a section named after the chain.
//
// Remarks are what else is not as it was, although the cluster counts as
// restored, because it does no harm and cannot, or need not, be undone:
//
//   - kernel modules. The kernel loads them at the first use of what they do, be
//     it a look at it, and one that is loaded and not used does nothing. Those
//     that Kubernetes needs count when they are gone;
//   - sysctls that appeared or went with their module or interface, which has a
//     line of its own; a value that changed counts;
//   - the CNI plugin's bridge, made with the first Pod of a node, that stays
//     for the next.
//
// A cluster that went back to its checkpoint has lost all of these, so they
// must not count in either direction.
func Compare(base, now Fingerprint) (differences, remarks []journal.Difference) {
	for _, pair := range match(base, now) {
		missing, extra := subtract(pair.base.Lines, pair.now.Lines), subtract(pair.now.Lines, pair.base.Lines)
		counts := pair.counter()
		add := func(to *[]journal.Difference, keep func(string) bool) {
			d := journal.Difference{Node: pair.base.Node, Section: pair.base.Name, Missing: filter(missing, keep), Extra: filter(extra, keep)}
			if len(d.Missing)+len(d.Extra) > 0 {
				*to = append(*to, d)
			}
		}
		add(&differences, counts)
		add(&remarks, func(line string) bool { return !counts(line) })
		differences = append(differences, moved(pair.base, pair.now)...)
	}
	return differences, remarks
}

// pair is a section of two fingerprints. One that only one of them has is empty
// in the other.
type pair struct{ base, now Section }

func match(base, now Fingerprint) []pair {
	type key struct{ node, name string }
	var pairs []pair
	index := map[key]int{}
	for _, s := range base.Sections {
		index[key{s.Node, s.Name}] = len(pairs)
		pairs = append(pairs, pair{s, Section{Node: s.Node, Name: s.Name}})
	}
	for _, s := range now.Sections {
		if i, ok := index[key{s.Node, s.Name}]; ok {
			pairs[i].now = s
		} else {
			pairs = append(pairs, pair{Section{Node: s.Node, Name: s.Name}, s})
		}
	}
	return pairs
}

// needed are modules that Kubernetes and its container runtime ask for and that
// can be unloaded while they are asked for.
var needed = []string{"br_netfilter", "overlay"}

// bridge is the interface that the CNI project's bridge plugin makes unless it
// is told another name.
const bridge = "cni0"

// counter returns which lines of a section count as a difference, given that
// the other side does not have them.
func (p pair) counter() func(line string) bool {
	switch p.base.Name {
	case Modules:
		return func(line string) bool {
			return slices.Contains(needed, line) || strings.HasPrefix(line, notLookedAt)
		}
	case Sysctls:
		seen := map[string]int{}
		for _, line := range slices.Concat(p.base.Lines, p.now.Lines) {
			seen[sysctlName(line)]++
		}
		return func(line string) bool { return seen[sysctlName(line)] > 1 }
	case Interfaces:
		// Only the bridge as a whole may come and go.
		if hasBridge(p.base) != hasBridge(p.now) {
			return func(line string) bool { return !strings.HasPrefix(line, bridge+" ") }
		}
	case Routes, Qdiscs:
		own := func(line string) bool { return device(line) == bridge && strings.Contains(line, " proto kernel ") }
		if slices.ContainsFunc(p.base.Lines, own) != slices.ContainsFunc(p.now.Lines, own) {
			return func(line string) bool { return !own(line) }
		}
	}
	return func(string) bool { return true }
}

func hasBridge(s Section) bool {
	return slices.ContainsFunc(s.Lines, func(l string) bool { return strings.HasPrefix(l, bridge+" bridge ") })
}

func sysctlName(line string) string {
	name, _, _ := strings.Cut(line, " = ")
	return name
}

// subtract returns the lines of a that b does not have, or has less often.
func subtract(a, b []string) []string {
	left := map[string]int{}
	for _, line := range b {
		left[line]++
	}
	var lines []string
	for _, line := range a {
		if left[line]--; left[line] < 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

func filter(lines []string, keep func(string) bool) []string {
	var kept []string
	for _, line := range lines {
		if keep(line) {
			kept = append(kept, line)
		}
	}
	return kept
}

// moved compares the order of the lines that both sides have, chain by chain.
func moved(base, now Section) []journal.Difference {
	before, after := chains(base), chains(now)
	var differences []journal.Difference
	for _, c := range before.names {
		old, new := common(before.rules[c], after.rules[c]), common(after.rules[c], before.rules[c])
		d := journal.Difference{Node: base.Node, Section: fmt.Sprintf("%s, order in %s", base.Name, c)}
		for i := range old {
			if old[i] != new[i] {
				d.Missing = append(d.Missing, fmt.Sprintf("%d. %s", i+1, old[i]))
				d.Extra = append(d.Extra, fmt.Sprintf("%d. %s", i+1, new[i]))
			}
		}
		if len(d.Missing) > 0 {
			differences = append(differences, d)
		}
	}
	return differences
}

// common returns the lines of a that b has too, as often as b has them.
func common(a, b []string) []string {
	left := map[string]int{}
	for _, line := range b {
		left[line]++
	}
	var lines []string
	for _, line := range a {
		if left[line]--; left[line] >= 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

type ordered struct {
	names []string
	rules map[string][]string
}

// chains returns the rules of a section by their chain.
func chains(s Section) ordered {
	o := ordered{rules: map[string][]string{}}
	for _, line := range s.Lines {
		chain := chainOf(s.Name, line)
		if chain == "" {
			continue
		}
		if _, ok := o.rules[chain]; !ok {
			o.names = append(o.names, chain)
		}
		o.rules[chain] = append(o.rules[chain], line)
	}
	return o
}

// chainOf is the chain whose rule a line is, or the file that it is from; empty
// where lines have no order.
func chainOf(section, line string) string {
	switch section {
	case Iptables, IP6tables, LegacyIptables, LegacyIP6:
		if words := strings.Fields(line); len(words) > 3 && words[2] == "-A" {
			return words[1] + " " + words[3]
		}
	case ProxyConfig:
		file, _, _ := strings.Cut(line, ": ")
		return file
	case Nftables:
		if place, _, ok := strings.Cut(line, ": "); ok && strings.Contains(place, " chain ") {
			return place
		}
	}
	return ""
}
