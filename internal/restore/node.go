package restore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// nodeSections makes sections of what a node's script printed.
func nodeSections(node string, pieces map[string]piece) ([]Section, error) {
	links, err := readLinks(pieces["interfaces"])
	if err != nil {
		return nil, err
	}
	// Every kernel has knobs: a look that finds none saw nothing, and two of those
	// would be equal.
	if p, ok := pieces["sysctls"]; ok && p.absent == "" && len(p.lines()) == 0 {
		return nil, errors.New("it shows no sysctl at all")
	}
	var sections []Section
	for _, s := range []struct {
		raw, name string
		lines     func(piece) []string
	}{
		{"sysctls", Sysctls, links.sysctls},
		{"iptables", Iptables, iptables},
		{"ip6tables", IP6tables, iptables},
		{"iptables-legacy", LegacyIptables, iptables},
		{"ip6tables-legacy", LegacyIP6, iptables},
		{"nftables", Nftables, func(p piece) []string { return nftables(p, pieces["iptables"], pieces["ip6tables"]) }},
		{"ipvs", IPVS, sorted},
		{"ipsets", IPSets, ipsets},
		{"interfaces", Interfaces, func(piece) []string { return links.lines() }},
		{"routes", Routes, links.routes},
		{"rules", Rules, sorted},
		{"neighbours", Neighbours, links.outside},
		{"qdiscs", Qdiscs, links.qdiscs},
		{"modules", Modules, sorted},
		{"tmp", Tmp, tree},
		{"configuration", Configuration, tree},
		{"packages", Packages, packages},
		{"services", Services, services},
	} {
		p, ok := pieces[s.raw]
		if !ok {
			return nil, fmt.Errorf("the output has no section %q", s.raw)
		}
		lines := []string{}
		if p.absent != "" {
			lines = append(lines, notLookedAt+p.absent)
		} else {
			lines = append(lines, s.lines(p)...)
		}
		sections = append(sections, Section{node, s.name, lines})
	}
	return sections, nil
}

// notLookedAt begins the line of a section of which nothing is known.
const notLookedAt = "not looked at: "

func sorted(p piece) []string { return slices.Sorted(slices.Values(p.lines())) }

// ipsets keeps name, type and family of each set. Hash sizes grow and the
// initial value is random; the entries are kube-proxy's, made of the Services.
func ipsets(p piece) []string {
	var lines []string
	var name, kind string
	for _, line := range p.lines() {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "Name":
			name = value
		case "Type":
			kind = value
		case "Header":
			family := ""
			if words := strings.Fields(value); len(words) > 1 && words[0] == "family" {
				family = " family " + words[1]
			}
			lines = append(lines, name+" "+kind+family)
		}
	}
	slices.Sort(lines)
	return lines
}

// packages keeps those that are installed; the configuration that a removed one
// leaves is none.
func packages(p piece) []string {
	var lines []string
	for _, line := range p.lines() {
		status, name, _ := strings.Cut(line, "\t")
		if len(status) > 1 && status[1] == 'i' {
			lines = append(lines, name)
		}
	}
	slices.Sort(lines)
	return lines
}

// services keeps the names of units that failed, and whether what Kubernetes
// needs is active; a unit that systemd does not know is "inactive".
func services(p piece) []string {
	var lines []string
	for _, line := range p.lines() {
		words := strings.Fields(strings.TrimPrefix(line, "● "))
		if len(words) > 2 {
			words = []string{words[0], "failed"}
		}
		lines = append(lines, strings.Join(words, " "))
	}
	slices.Sort(lines)
	return lines
}

// tree makes a line of each file: size and sum of a plain one, where a link
// leads to, and nothing but the kind of what is neither. Folders are in the
// paths of their files and have lines of their own too: an empty one is a
// leftover.
func tree(p piece) []string {
	sums := map[string]string{}
	var entries [][]string
	for record := range strings.SplitSeq(p.text, "\x00") {
		if fields := strings.SplitN(record, "\t", 4); len(fields) == 4 {
			entries = append(entries, fields)
		} else if sum, path, ok := strings.Cut(record, "  "); ok {
			sums[path] = sum
		}
	}
	var lines []string
	for _, e := range entries {
		kind, size, target, path := e[0], e[1], e[2], visible(e[3])
		sum, summed := sums[e[3]]
		switch {
		case kind == "f" && summed:
			lines = append(lines, fmt.Sprintf("%s %s bytes sha256 %s", path, size, sum))
		case kind == "f":
			lines = append(lines, fmt.Sprintf("%s %s bytes", path, size))
		case kind == "l":
			lines = append(lines, fmt.Sprintf("%s -> %s", path, visible(target)))
		default:
			lines = append(lines, fmt.Sprintf("%s (%s)", path, kinds[kind]))
		}
	}
	slices.Sort(lines)
	return lines
}

// kinds are the letters of find -printf %y.
var kinds = map[string]string{"d": "folder", "s": "socket", "p": "fifo", "c": "device", "b": "device"}

// visible quotes a name that would not be one line as it is.
func visible(s string) string {
	if quoted := fmt.Sprintf("%q", s); quoted != `"`+s+`"` {
		return quoted
	}
	return s
}
