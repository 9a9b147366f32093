package draft

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

var (
	heredoc    = regexp.MustCompile(`(?:^|[^<])<<-?\s*(?:'([^']+)'|"([^"]+)"|\\?([A-Za-z_][A-Za-z0-9_.-]*))`)
	arithmetic = regexp.MustCompile(`\(\([^()]*\)\)`) // its << shifts
)

// reading is how far bash is with a script that it is given line by line. The zero
// value has read nothing.
type reading struct {
	// heredoc is the word that ends the here-document that is open, empty if none is.
	heredoc string
	// last is the last line that was read.
	last string
	// quote is the quote that is open, 0 if none is.
	quote rune
	// escaped, in a comment, inside a word: what the next character means.
	escaped, comment, word bool
}

// add reads one more line.
func (r *reading) add(line string) {
	switch {
	case r.heredoc != "":
		if strings.TrimSpace(line) == r.heredoc {
			r.heredoc = ""
		}
	default:
		if m := heredoc.FindStringSubmatch(arithmetic.ReplaceAllString(line, "")); m != nil {
			r.heredoc = cmp.Or(m[1], m[2], m[3])
		}
	}
	r.last = strings.TrimRight(line, " ")
	for _, c := range line {
		r.character(c)
	}
	// What is behind a line's end is read with the next, if there is one.
	r.lineEnds()
}

// character follows quotes. Those in comments quote nothing.
func (r *reading) character(c rune) {
	r.comment = r.comment || c == '#' && r.quote == 0 && !r.word
	r.word = r.escaped || !strings.ContainsRune(" \t;&|(", c)
	switch {
	case r.comment:
	case r.escaped:
		r.escaped = false
	case c == '\\' && r.quote != '\'':
		r.escaped = true
	case r.quote != 0:
		if c == r.quote {
			r.quote = 0
		}
	case c == '\'' || c == '"':
		r.quote = c
	}
}

func (r *reading) lineEnds() {
	r.word, r.escaped, r.comment = r.escaped, false, false
}

// incomplete says that bash would ask for more.
func (r *reading) incomplete() bool {
	goesOn := func(end string) bool { return strings.HasSuffix(r.last, end) }
	return r.heredoc != "" || r.quote != 0 || slices.ContainsFunc([]string{`\`, "|", "&&", "||", " do", " then"}, goesOn)
}
