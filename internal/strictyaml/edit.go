package strictyaml

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Replace puts a value in place of another.
func (n Node) Replace(v Value) {
	from, to := n.span()
	n.doc.splice(from, to, n.written(v, n.doc.column(from)))
}

// Insert puts a value into a list, before item i, or behind the last if there
// are i. A comment above an item stays with it. Several values for the same place
// come in the order of their calls.
func (n Node) Insert(i int, v Value) {
	items := n.Items()
	switch {
	case n.Flow() && i == 0:
		from, _ := items[0].span()
		n.doc.splice(from, from, v.flow()+", ")
	case n.Flow():
		_, to := items[i-1].span()
		n.doc.splice(to, to, ", "+v.flow())
	default:
		from, _ := items[0].span()
		dash := n.doc.dash(from)
		indent := n.doc.column(dash)
		text := "- " + v.block(indent+2)
		if i == 0 {
			n.doc.splice(dash, dash, text+"\n"+strings.Repeat(" ", indent))
			return
		}
		_, to := items[i-1].span()
		to = n.doc.lineEnd(to)
		n.doc.splice(to, to, "\n"+strings.Repeat(" ", indent)+text)
	}
}

// Remove takes an item out of a list, with what stands behind it in its line.
// Others must be left.
func (n Node) Remove(i int) {
	items := n.Items()
	from, to := items[i].span()
	switch {
	case n.Flow() && i > 0:
		_, from = items[i-1].span()
	case n.Flow():
		to, _ = items[1].span()
	default:
		// With the line's beginning, so that one may be put behind it at its end.
		from, to = n.doc.lineStart(n.doc.dash(from))-1, n.doc.lineEnd(to)
	}
	n.doc.splice(from, to, "")
}

// Add puts a key with its value into a mapping that does not have it: behind the
// last of the keys that are named, else at the mapping's end.
func (n Node) Add(key string, v Value, behind ...string) {
	m, _ := mapping(n.n)
	last := m.Values[len(m.Values)-1]
	for _, pair := range m.Values {
		if slices.Contains(behind, keyText(pair)) {
			last = pair
		}
	}
	to := n.doc.to(last.Value)
	if n.Flow() {
		n.doc.splice(to, to, ", "+key+": "+v.flow())
		return
	}
	indent := n.doc.column(n.doc.from(n.n))
	to = n.doc.lineEnd(to)
	n.doc.splice(to, to, "\n"+strings.Repeat(" ", indent)+Pair{key, v}.block(indent))
}

// written is a value as it goes into the place of this one.
func (n Node) written(v Value, indent int) string {
	if n.Flow() {
		return v.flow()
	}
	return v.block(indent)
}

// column is how many characters there are before a place in its line.
func (doc *Document) column(at int) int {
	return utf8.RuneCountInString(doc.text[doc.lineStart(at):at])
}

func (doc *Document) lineStart(at int) int { return strings.LastIndexByte(doc.text[:at], '\n') + 1 }

func (doc *Document) lineEnd(at int) int {
	if i := strings.IndexByte(doc.text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(doc.text)
}

func (doc *Document) splice(from, to int, text string) {
	doc.splices = append(doc.splices, splice{from, to, text})
}

// Bytes is the text with all edits. Edits must not overlap; items may come next to
// one that goes. New lines end as the one that they are put next to.
func (doc *Document) Bytes() []byte {
	all := slices.Clone(doc.splices)
	slices.SortStableFunc(all, func(a, b splice) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	var b strings.Builder
	at := 0
	for _, s := range all {
		doc.keep(&b, at, s.from)
		b.WriteString(strings.ReplaceAll(s.text, "\n", doc.ending(s.to)))
		at = s.to
	}
	doc.keep(&b, at, len(doc.text))
	return []byte(b.String())
}

// ending is what ends the line of a place: the first line's, if it has none.
func (doc *Document) ending(at int) string {
	end := doc.lineEnd(at)
	if end == len(doc.text) {
		end = doc.lineEnd(0)
	}
	if doc.windows[end] {
		return "\r\n"
	}
	return "\n"
}

// keep writes text as the file has it.
func (doc *Document) keep(b *strings.Builder, from, to int) {
	for from < to {
		end := min(to, doc.lineEnd(from))
		b.WriteString(doc.text[from:end])
		if end < to {
			if doc.windows[end] {
				b.WriteByte('\r')
			}
			b.WriteByte('\n')
		}
		from = end + 1
	}
}
