package sample

import "slices"

// keep is for how many further looks a change stays marked: with one every three
// seconds, long enough to be found with the eyes.
const keep = 3

// Line is one line of a pane.
type Line struct {
	Text string
	// New was not there a few looks ago, Gone is not there any more.
	New, Gone bool
}

// marks knows when each line of one pane came or went.
type marks struct {
	begun bool
	lines []marked
}

type marked struct {
	text string
	// left is how many looks more it stays marked; 0 is a line that is simply there.
	left int
	gone bool
}

// next takes in what a look has shown, and returns it with what came and went. Lines
// that are gone stay behind the line that they stood behind. What the first look shows
// is not new. A text may be there more than once, and each counts for itself.
func (m *marks) next(now []string) []Line {
	type key struct {
		text string
		nth  int
	}
	number := func(seen map[string]int, text string) key {
		seen[text]++
		return key{text, seen[text]}
	}
	here := map[key]bool{}
	counted := map[string]int{}
	for _, text := range now {
		here[number(counted, text)] = true
	}
	counts, live := counted, map[string]int{}
	for _, l := range m.lines {
		if !l.gone {
			live[l.text]++
		}
	}
	before := map[key]int{}      // looks that its mark stays
	behind := map[key][]marked{} // what is gone and stood behind a line
	counted = map[string]int{}   // of the lines before that were there
	anchor := key{}              // the last line that is still there; the zero value is the top
	for _, l := range m.lines {
		switch {
		case l.gone && counts[l.text] > live[l.text]:
			// It has come again.
		case l.gone && l.left > 1:
			behind[anchor] = append(behind[anchor], marked{l.text, l.left - 1, true})
		case l.gone:
		default:
			k := number(counted, l.text)
			if here[k] {
				before[k] = max(0, l.left-1)
				anchor = k
			} else {
				behind[anchor] = append(behind[anchor], marked{l.text, keep, true})
			}
		}
	}
	lines := slices.Clone(behind[key{}])
	counted = map[string]int{}
	for _, text := range now {
		k := number(counted, text)
		left, was := before[k]
		if !was && m.begun {
			left = keep
		}
		lines = append(append(lines, marked{text: text, left: left}), behind[k]...)
	}
	m.lines, m.begun = lines, true
	shown := make([]Line, 0, len(lines))
	for _, l := range lines {
		shown = append(shown, Line{Text: l.text, New: !l.gone && l.left > 0, Gone: l.gone})
	}
	return shown
}
