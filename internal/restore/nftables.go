package restore

import (
	"slices"
	"strings"
)

// nftables flattens the ruleset: each line begins with where it is, "table
// FAMILY NAME chain NAME: ". An element of a set is a line of its own, since sets
// have no order. Sets that packets fill (flags dynamic or timeout) lose their
// elements. Tables that iptables-save told about are left out.
func nftables(p, v4, v6 piece) []string {
	var lines []string
	for _, b := range blocks(p.text) {
		words := strings.Fields(b.head)
		if len(words) < 3 || words[0] != "table" {
			continue
		}
		if slices.Contains(iptablesTables, words[2]) && (words[1] == "ip" && covers(v4, words[1], words[2]) || words[1] == "ip6" && covers(v6, words[1], words[2])) {
			continue
		}
		var parts [][]string
		for _, inner := range b.blocks {
			parts = append(parts, flatten(b.head+" "+inner.head, inner))
		}
		slices.SortFunc(parts, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
		lines = append(lines, b.head)
		for _, own := range b.lines {
			lines = append(lines, b.head+": "+own)
		}
		lines = append(lines, slices.Concat(parts...)...)
	}
	return lines
}

func flatten(place string, b block) []string {
	lines := []string{place}
	passing := slices.ContainsFunc(b.lines, func(l string) bool {
		return strings.HasPrefix(l, "flags ") && (strings.Contains(l, "dynamic") || strings.Contains(l, "timeout"))
	})
	var elements []string
	for _, line := range b.lines {
		if list, ok := strings.CutPrefix(line, "elements = {"); ok {
			if !passing {
				elements = append(elements, commas(strings.TrimSuffix(strings.TrimSpace(list), "}"))...)
			}
			continue
		}
		lines = append(lines, place+": "+line)
	}
	slices.Sort(elements)
	for _, e := range elements {
		lines = append(lines, place+" element: "+e)
	}
	return lines
}

// covers tells which nft tables iptables-save has told about: those of its nft
// backend, unless it said that it cannot read one.
func covers(p piece, family, table string) bool {
	if p.absent != "" || !strings.Contains(firstLine(p.text), "(nf_tables)") {
		return false
	}
	return !strings.Contains(p.text, "# Table `"+table+"' is incompatible")
}

// iptablesTables are the names that iptables-nft gives its tables.
var iptablesTables = []string{"filter", "mangle", "nat", "raw", "security"}

// block is what stands between a line that ends in "{" and its "}".
type block struct {
	head   string
	lines  []string
	blocks []block
}

// blocks reads nft's output. A statement goes on until its braces are closed.
func blocks(text string) []block {
	stack := []block{{}}
	statement := ""
	for raw := range strings.Lines(text) {
		line := strings.TrimSpace(raw)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		top := &stack[len(stack)-1]
		switch {
		case statement != "":
			statement += " " + line
		case line == "}" && len(stack) > 1:
			closed := *top
			stack = stack[:len(stack)-1]
			top = &stack[len(stack)-1]
			top.blocks = append(top.blocks, closed)
			continue
		case strings.HasSuffix(line, " {") && len(stack) < 3:
			stack = append(stack, block{head: strings.TrimSuffix(line, " {")})
			continue
		default:
			statement = line
		}
		if depth(statement) <= 0 {
			top.lines = append(top.lines, strings.Join(strings.Fields(statement), " "))
			statement = ""
		}
	}
	return stack[0].blocks
}

// depth counts braces that are open, outside quotes.
func depth(s string) int {
	n, quoted := 0, false
	for _, r := range s {
		switch {
		case r == '"':
			quoted = !quoted
		case quoted:
		case r == '{':
			n++
		case r == '}':
			n--
		}
	}
	return n
}

// commas splits a list at the commas outside quotes and braces.
func commas(s string) []string {
	var parts []string
	quoted, deep, from := false, 0, 0
	for i, r := range s {
		switch {
		case r == '"':
			quoted = !quoted
		case quoted:
		case r == '{':
			deep++
		case r == '}':
			deep--
		case r == ',' && deep == 0:
			parts = append(parts, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
	}
	if last := strings.TrimSpace(s[from:]); last != "" {
		parts = append(parts, last)
	}
	return parts
}
