package draft

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"labctl/topology"
)

// everywhere says that something is for all nodes.
var everywhere = regexp.MustCompile(`(?i)\b(?:on|from|of) (?:both|all|each|every)(?: of the| the)? (?:nodes?|machines?|hosts?|servers?)\b`)

// another is what is meant where a node's name is the beginning of another's.
var another = regexp.MustCompile(`(?i)^(?:'s|’s|-|/| pods?\b| side\b| container\b)`)

// places are the nodes of a topology, and how texts name them.
type places []place

type place struct {
	node string
	// named matches where a text says that it is there; hosts are names in prompts.
	named *regexp.Regexp
	hosts []string
}

// placesOf lists a topology's nodes, the first of which is where steps run of which
// nobody says where.
func placesOf(name string) (places, error) {
	t, err := topology.Embedded(name)
	if err != nil {
		return nil, err
	}
	var all places
	for _, n := range t.Nodes {
		words := []string{regexp.QuoteMeta(n.Name)}
		hosts := []string{n.Name, string(n.Role)}
		if n.Role == topology.ControlPlane {
			words = append(words, "control[ -]plane", "master")
			hosts = append(hosts, "master", "control", "controlplane", "k8s-master")
		}
		all = append(all, place{
			node:  n.Name,
			named: regexp.MustCompile(`(?i)\b(?:on|from|at|into|onto) (?:the |a |your )?(?:` + strings.Join(words, "|") + `)\b(?: node| machine| host)?`),
			hosts: hosts,
		})
	}
	return all, nil
}

// ends is where a sentence does.
var ends = regexp.MustCompile(`[.!?:;]\s`)

// named is the node that a text names last, and its words; empty if it names none.
// "On the worker, reject what comes from cp" is about the worker: what comes from
// a node behind another in one sentence is what is sent.
func (p places) named(text string) (node, words string) {
	type mention struct {
		from, to int
		node     string
	}
	var all []mention
	for _, place := range p {
		for _, m := range place.named.FindAllStringIndex(text, -1) {
			if !another.MatchString(text[m[1]:]) {
				all = append(all, mention{m[0], m[1], place.node})
			}
		}
	}
	slices.SortFunc(all, func(a, b mention) int { return cmp.Compare(a.from, b.from) })
	at, end := -1, 0
	for _, m := range all {
		sent := strings.HasPrefix(strings.ToLower(text[m.from:]), "from ")
		if at >= 0 && sent && !ends.MatchString(text[end:m.from]) {
			continue
		}
		at, end, node, words = m.from, m.to, m.node, text[m.from:m.to]
	}
	if all := everywhere.FindAllStringIndex(text, -1); len(all) > 0 && all[len(all)-1][0] > at {
		m := all[len(all)-1]
		node, words = "all", text[m[0]:m[1]]
	}
	return node, words
}

// host is the node that a prompt's host name is; empty for others.
func (p places) host(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	for _, place := range p {
		for _, h := range place.hosts {
			if h != "" && (name == h || strings.HasPrefix(name, h) && strings.Trim(name[len(h):], "0123456789-") == "") {
				return place.node
			}
		}
	}
	return ""
}
